/** The built nodes: they are CommonJS without file endings, which Node.js cannot run as they are. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The repository. */
export const root = dirname(dirname(import.meta.dirname));

/** Loads a module of `dist`, which the commands build before. */
export const loadBuilt = createRequire(join(root, 'dist/'));
