import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { readContract } from './src/contract/contract.ts';
import { buildSeedSchema } from './src/control/seed/schema.ts';

/**
 * Builds what the package holds: `dist` has the sources as JavaScript with their types, and the files that they read, in the layout
 * of the repository, and the JSON Schema of seed files.
 */
const folder = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);

/** Runs a program of a package in the repository. Ends the build if it fails. */
function run(program: string, args: string[]): void {
	const { status } = spawnSync(process.execPath, [program, ...args], {
		cwd: root,
		stdio: ['ignore', 'ignore', 'inherit'],
	});
	if (status !== 0) process.exit(1);
}

rmSync(`${folder}dist`, { recursive: true, force: true });
const types = ['contract/openapi.yaml', '-o', 'contract/generated/types.ts'];
run(`${root}node_modules/openapi-typescript/bin/cli.js`, types);
run(require.resolve('typescript/bin/tsc'), ['-p', folder]);
// TypeScript rewrites the endings of imports in JavaScript, but not in declarations.
for (const name of readdirSync(`${folder}dist`, { recursive: true, encoding: 'utf8' })) {
	if (!name.endsWith('.d.ts')) continue;
	const file = `${folder}dist/${name}`;
	const text = readFileSync(file, 'utf8');
	writeFileSync(file, text.replaceAll(/((?:from |import\()['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2'));
}
for (const file of ['contract/openapi.yaml', 'docs/contract.md', 'docs/dialect.schema.json']) {
	cpSync(`${root}${file}`, `${folder}dist/${file}`);
}
cpSync(`${folder}src/pages`, `${folder}dist/sandbox/src/pages`, {
	recursive: true,
	filter: (source) => !source.endsWith('.ts'),
});
const schema = JSON.stringify(buildSeedSchema(readContract()), null, 2);
writeFileSync(`${folder}dist/seed.schema.json`, `${schema}\n`);
