import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Builds what the package holds: `dist` has the sources as JavaScript with their types, and the files that they read, in the layout
 * of the repository.
 */
const folder = fileURLToPath(new URL('.', import.meta.url));
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');

rmSync(`${folder}dist`, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [tsc, '-p', folder], { stdio: 'inherit' });
if (status !== 0) process.exit(1);
// TypeScript rewrites the endings of imports in JavaScript, but not in declarations.
for (const name of readdirSync(`${folder}dist`, { recursive: true, encoding: 'utf8' })) {
	if (!name.endsWith('.d.ts')) continue;
	const file = `${folder}dist/${name}`;
	const text = readFileSync(file, 'utf8');
	writeFileSync(file, text.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"));
}
for (const file of ['contract/openapi.yaml', 'docs/contract.md', 'docs/dialect.schema.json']) {
	cpSync(`${folder}../${file}`, `${folder}dist/${file}`);
}
cpSync(`${folder}src/pages`, `${folder}dist/sandbox/src/pages`, {
	recursive: true,
	filter: (source) => !source.endsWith('.ts'),
});
