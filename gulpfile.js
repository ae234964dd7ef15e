const { mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { basename, dirname, join, relative } = require('node:path');
const { build } = require('esbuild');
const { dest, series, src } = require('gulp');
const { n8n } = require('./package.json');

async function clean() {
	rmSync('dist', { recursive: true, force: true });
}

/** The nodes and credentials that package.json names, without `dist/` and `.js`. */
const classes = [...n8n.credentials, ...n8n.nodes].map((path) =>
	path.slice('dist/'.length, -'.js'.length),
);

/** esbuild drops comments but those that it takes for legal ones: docstrings become such on the way. */
const keepDocstrings = {
	name: 'keep docstrings',
	setup: ({ onLoad }) =>
		onLoad({ filter: /\.ts$/ }, ({ path }) => ({
			contents: readFileSync(path, 'utf8').replaceAll(/^\/\*\*/gm, '/*!'),
			loader: 'ts',
		})),
};

/**
 * One file with all code, which n8n loads in two thirds of the time of about 200 files. It is not minified: a stack trace names
 * functions of the source, and a reviewer can read it. Beside it, each node and credential has the file that package.json names,
 * as n8n reads the name of the class from the name of the file.
 */
async function bundle() {
	await build({
		stdin: {
			contents: classes.map((path) => `export * from './${path}';`).join('\n'),
			resolveDir: __dirname,
		},
		bundle: true,
		outfile: 'dist/dossier.js',
		platform: 'node',
		target: 'node20',
		external: ['n8n-workflow'],
		legalComments: 'inline',
		charset: 'utf8',
		plugins: [keepDocstrings],
	});
	for (const path of classes) {
		const name = basename(path).split('.')[0];
		const shared = relative(dirname(path), 'dossier');
		mkdirSync(join('dist', dirname(path)), { recursive: true });
		writeFileSync(join('dist', `${path}.js`), `exports.${name} = require("${shared}").${name};\n`);
	}
}

// Files that n8n reads beside the compiled nodes: icons, codex (search words, categories) and output previews.
const copyIcons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));

const copyDescriptions = () =>
	src(['nodes/**/*.node.json', 'nodes/**/__schema__/**/*.json'], { base: 'nodes' }).pipe(
		dest('dist/nodes'),
	);

exports.build = series(clean, bundle, copyIcons, copyDescriptions);
