/**
 * Runs n8n's own scan of community packages, as n8n does before it verifies one: on the source, and on what is
 * published. What the scan does beside this needs a package that is published: it compares npm's provenance.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { extract } from 'tar';
import { runToEnd } from './process/lifecycle.ts';
import { packPackage } from './process/packedPackage.ts';
import { say } from './process/terminal.ts';
import { findToolchain } from './process/toolchain.ts';

/** What the scan looks at in a published package. */
const PUBLISHED_FILE_PATTERNS = ['**/*.js', 'package.json'];

await runToEnd(async (course) => {
	const root = dirname(import.meta.dirname);
	const folder = await mkdtemp(join(tmpdir(), 'dossier-scan-'));
	course.onEnd(() => rm(folder, { recursive: true, force: true }));
	// It makes itself a temporary folder when it is loaded, and leaves it there.
	process.env.TMPDIR = folder;
	const { analyzePackage, SOURCE_FILE_PATTERNS } = await import(
		'@n8n/scan-community-package/scanner/scanner.mjs'
	);

	const tarball = await packPackage(course, await findToolchain(root), root, folder);
	const published = join(folder, 'package');
	await mkdir(published);
	await extract({ file: tarball, cwd: published, strip: 1 });

	const places = [
		{ what: 'The source', at: root, patterns: SOURCE_FILE_PATTERNS },
		{ what: 'What is published', at: published, patterns: PUBLISHED_FILE_PATTERNS },
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
