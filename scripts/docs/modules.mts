/** Loads modules of the nodes for scripts. Node.js alone cannot: their imports have no file endings. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { buildSync } from 'esbuild';

/** The repository. */
export const root = dirname(dirname(import.meta.dirname));

/**
 * Bundles a module of the nodes or credentials, or one that imports them, and loads it.
 *
 * @param path relative to the repository; the ending .ts can be left out
 */
export function loadModule(path: string): unknown {
	const outfile = join(root, 'node_modules/.cache/dossier', `${path}.cjs`);
	buildSync({
		entryPoints: [join(root, path)],
		bundle: true,
		outfile,
		platform: 'node',
		external: ['n8n-workflow'],
		absWorkingDir: root,
	});
	return createRequire(outfile)(outfile);
}
