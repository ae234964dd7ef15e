/** npm runs this in the folder of a package after it has packed it: puts the README back that prepack.mts has changed. */
import { existsSync, renameSync } from 'node:fs';

if (existsSync('.cache/README.md')) renameSync('.cache/README.md', 'README.md');
