/**
 * npm runs this in the folder of a package before it packs or publishes it, after the build. To try the package before its placeholders
 * are filled in, pack it with `npm pack --ignore-scripts`.
 */
import { checkPack } from './process/checkPack.mts';

const problems = checkPack(process.cwd());
for (const problem of problems) console.error(`This cannot be published: ${problem}.`);
process.exitCode = problems.length ? 1 : 0;
