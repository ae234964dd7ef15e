import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describeSeed } from './src/control/seed/schema.mts';

/**
 * Builds what the package holds: `dist` has the sources as JavaScript and the files that they read, in the layout of the repository,
 * the types in one file, and the JSON Schema of seed files. The JavaScript is CommonJS, which `import`, `require` and jest load alike.
 */
const folder = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));

/** Runs a program of a package in the repository. Ends the build if it fails. */
function run(program: string, args: string[]): void {
	const { status } = spawnSync(process.execPath, [`${root}node_modules/${program}`, ...args], {
		cwd: root,
		stdio: ['ignore', 'ignore', 'inherit'],
	});
	if (status !== 0) process.exit(1);
}

rmSync(`${folder}dist`, { recursive: true, force: true });
mkdirSync(`${root}contract/generated`, { recursive: true });
run('openapi-typescript/bin/cli.js', ['contract/openapi.yaml', '-o', 'sandbox/dist/types.mts']);
// At once, because lint and the type check may be reading it
renameSync(`${folder}dist/types.mts`, `${root}contract/generated/types.mts`);
run('dts-bundle-generator/dist/bin/dts-bundle-generator.js', [
	...['--project', 'sandbox/tsconfig.json', '--no-banner', '--silent', '--no-check'],
	...['--export-referenced-types=false', '-o', 'sandbox/dist/index.d.cts'],
	'sandbox/src/index.mts',
]);
await build({
	entryPoints: [`${folder}src/**/*.mts`],
	outbase: root,
	outdir: `${folder}dist`,
	format: 'cjs',
	platform: 'node',
	target: 'node22',
	bundle: true,
	// CommonJS has no import.meta.url.
	define: { 'import.meta.url': 'moduleUrl' },
	inject: [`${folder}module-url.js`],
	plugins: [
		{
			name: 'file by file',
			setup: (bundler) =>
				bundler.onResolve({ filter: /^/ }, ({ path, kind }) => {
					if (path.endsWith('module-url.js')) return { path, sideEffects: false };
					// An ES module alone, and small: it goes into the files that import it.
					const isOwn = kind === 'entry-point' || path === 'content-disposition';
					return isOwn ? undefined : { path: path.replace(/\.mts$/, '.js'), external: true };
				}),
		},
	],
});
writeFileSync(`${folder}dist/package.json`, '{ "type": "commonjs" }\n');
for (const file of ['contract/openapi.yaml', 'docs/contract.md']) {
	cpSync(`${root}${file}`, `${folder}dist/${file}`);
}
cpSync(`${folder}src/pages`, `${folder}dist/sandbox/src/pages`, {
	recursive: true,
	filter: (source) => !source.endsWith('.mts'),
});
const schema = JSON.stringify(describeSeed(), null, 2);
writeFileSync(`${folder}dist/seed.schema.json`, `${schema}\n`);
