import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';

const usage = `Does the core job against services that speak dialects drawn at random, with the dialect given and with the one that
Check Contract finds. Prints how many it was done with each way.

  npm run test:dialects [-- --runs N --seed S]

  --runs N   how many services (100)
  --seed S   the same seed draws the same services (a random one, which is printed)`;

const { values } = parseArgs({
	options: {
		runs: { type: 'string', default: '100' },
		seed: { type: 'string', default: String(randomInt(1e9)) },
		help: { type: 'boolean', default: false },
	},
});
const isUsable = [values.runs, values.seed].every((text) => /^\d{1,9}$/.test(text));
if (values.help || !isUsable) {
	console.log(usage);
	process.exit(values.help ? 0 : 1);
}
const { status } = spawnSync(
	process.execPath,
	['node_modules/jest/bin/jest.js', '--selectProjects', 'dialects', '--runInBand'],
	{
		cwd: dirname(import.meta.dirname),
		env: {
			...process.env,
			DIALECT_RUNS: values.runs,
			DIALECT_SEED: values.seed,
			DIALECT_FOUND: '1',
		},
		stdio: 'inherit',
	},
);
process.exitCode = status ?? 1;
