/**
 * Runs n8n's own scan of community packages, as n8n does before it verifies one, on the source and on the packed package. The rest
 * of that scan compares npm's provenance, which only a published package has.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { extract } from 'tar';
import { runToEnd } from './process/lifecycle.mts';
import { packPackage } from './process/packedPackage.mts';
import { say } from './process/terminal.mts';
import { findToolchain } from './process/toolchain.mts';

/** The files that the scan reads in a published package. */
const PUBLISHED_FILE_PATTERNS = ['**/*.js', 'package.json'];

await runToEnd(async (lifecycle) => {
	const root = dirname(import.meta.dirname);
	const folder = await mkdtemp(join(tmpdir(), 'dossier-scan-'));
	lifecycle.onEnd(() => rm(folder, { recursive: true, force: true }));
	// The scanner creates a temporary folder when it is loaded, and leaves it there
	process.env.TMPDIR = folder;
	const { analyzePackage, SOURCE_FILE_PATTERNS } = await import(
		'@n8n/scan-community-package/scanner/scanner.mjs'
	);

	const tarball = await packPackage(lifecycle, await findToolchain(root), root, folder);
	const published = join(folder, 'package');
	await mkdir(published);
	await extract({ file: tarball, cwd: published, strip: 1 });

	const places = [
		{ what: 'The source', at: root, patterns: SOURCE_FILE_PATTERNS },
		{ what: 'The packed package', at: published, patterns: PUBLISHED_FILE_PATTERNS },
	];
	let passed = true;
	for (const { what, at, patterns } of places) {
		const result = await analyzePackage(at, patterns);
		passed &&= result.passed;
		say(`${what}: ${result.passed ? 'no finding' : result.message}`);
		if (result.details) say(result.details);
	}
	return passed ? 0 : 1;
});
