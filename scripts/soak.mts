import { randomInt } from 'node:crypto';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { runToEnd } from './process/lifecycle.mts';
import { PlainError } from './process/plainError.mts';
import { say } from './process/terminal.mts';
import { describeSoak } from './soak/report.mts';
import { soak } from './soak/soak.mts';

const usage = `Lets a real n8n and a failing service work for a while, then compares what is there with what was asked for.

  npm run soak [-- --minutes N --seed S]

  --minutes N   how long (60)
  --seed S      the same seed makes the same plan of jobs and troubles (a random one, which is printed)`;

const root = dirname(import.meta.dirname);

await runToEnd(async (lifecycle) => {
	const options = readOptions();
	const result = await soak(lifecycle, { root, ...options });
	for (const line of describeSoak(result)) say(line);
	say(`Seed ${options.seed}.`);
	return result.passed ? 0 : 1;
});

function readOptions(): { minutes: number; seed: number } {
	try {
		const { values } = parseArgs({
			options: {
				minutes: { type: 'string', default: '60' },
				seed: { type: 'string', default: String(randomInt(1e6)) },
			},
		});
		const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
		if (!(minutes > 0)) throw new Error(`--minutes ${values.minutes} is not a number above 0.`);
		if (!Number.isInteger(seed)) throw new Error(`--seed ${values.seed} is not a whole number.`);
		return { minutes, seed };
	} catch (error) {
		throw new PlainError(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
	}
}
