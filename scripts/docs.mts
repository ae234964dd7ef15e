/** Writes docs/operations and the tables of docs/errors.md, from the nodes and the contract. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type * as generated from './docs/generatedPages.mts';
import { loadModule, root } from './docs/modules.mts';

const { generatedPages } = loadModule('scripts/docs/generatedPages.mts') as typeof generated;
const pages = generatedPages(root);
await rm(join(root, 'docs/operations'), { recursive: true, force: true });
await mkdir(join(root, 'docs/operations'), { recursive: true });
for (const [path, text] of pages) await writeFile(join(root, path), text);
