const { execFileSync } = require('node:child_process');
const { rmSync } = require('node:fs');
const { dest, series, src } = require('gulp');

async function clean() {
	rmSync('dist', { recursive: true, force: true });
}

async function compile() {
	execFileSync(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', 'tsconfig.json'], {
		stdio: 'inherit',
	});
}

// Files that n8n reads beside the compiled nodes: icons, codex (search words, categories) and output previews.
const copyIcons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));

const copyDescriptions = () =>
	src(['nodes/**/*.node.json', 'nodes/**/__schema__/**/*.json'], { base: 'nodes' }).pipe(
		dest('dist/nodes'),
	);

exports.build = series(clean, compile, copyIcons, copyDescriptions);
