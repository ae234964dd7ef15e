/** Writes docs/operations and the tables of docs/errors.md, from the built nodes, their source and the contract. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ICredentialType, INodeType } from 'n8n-workflow';
import { generatedPages } from './docs/generatedPages.ts';

const root = dirname(import.meta.dirname);
const load = createRequire(import.meta.url);

/** Makes one of the classes that n8n loads. `npm run docs` builds them before. */
function built<T>(path: string, name: string): T {
	const classes = load(join(root, 'dist', path)) as Record<string, new () => T>;
	const Loaded = classes[name];
	if (!Loaded) throw new Error(`dist/${path} has no class ${name}. Run "npm run build".`);
	return new Loaded();
}

const pages = generatedPages(root, {
	action: built<INodeType>('nodes/Dossier/Dossier.node.js', 'Dossier').description,
	trigger: built<INodeType>('nodes/Dossier/DossierTrigger.node.js', 'DossierTrigger').description,
	credentials: ['DossierApi', 'DossierWorkspaceApi'].map((name) =>
		built<ICredentialType>(`credentials/${name}.credentials.js`, name),
	),
});
await rm(join(root, 'docs/operations'), { recursive: true, force: true });
await mkdir(join(root, 'docs/operations'), { recursive: true });
for (const [path, text] of pages) await writeFile(join(root, path), text);
