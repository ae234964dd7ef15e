/**
 * npm runs this in the folder of a package before it packs or publishes it, after the build, and `postpack` afterwards, which puts the
 * README back. To try the package before its placeholders are filled in, pack it with `npm pack --ignore-scripts`.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { checkPack } from './process/checkPack.mts';
import { findPlace, makeAbsolute } from './process/packedReadme.mts';

const problems = checkPack(process.cwd());
for (const problem of problems) console.error(`This cannot be published: ${problem}.`);
process.exitCode = problems.length ? 1 : 0;
if (!problems.length) {
	mkdirSync('.cache', { recursive: true });
	copyFileSync('README.md', '.cache/README.md');
	const place = findPlace(readFileSync('package.json', 'utf8'));
	writeFileSync('README.md', makeAbsolute(readFileSync('README.md', 'utf8'), place));
}
