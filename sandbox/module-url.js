import { pathToFileURL } from 'node:url';

/** What `import.meta.url` is in an ES module. build.mts puts it into files that ask for it. */
export const moduleUrl = pathToFileURL(__filename).href;
