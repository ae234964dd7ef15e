/** Two minutes of `npm run soak`, as a person starts it. */
import { setTimeout as wait } from 'node:timers/promises';
import { startGroup } from '../../scripts/process/group.mts';
import { findToolchain } from '../../scripts/process/toolchain.mts';
import { openLifecycle } from '../../scripts/process/lifecycle.mts';
import { OPENING_MS, root } from './live.mts';

/** Its first troubles are lost answers, an outage and a kill of n8n, which the run makes on any machine. */
const SEED = '9563';

/** There are more files and events than this on any machine: the run handles 18 dossiers at least, each with one file or more. */
const LEAST = 17;

/** A soak that hangs is ended before the test is, so that its last words are shown. */
const LONGEST_MS = OPENING_MS - 60_000;

const { lifecycle, close } = openLifecycle();
afterAll(close);

it(
	'A soak loses nothing while the service fails and n8n is killed, and prints an account',
	async () => {
		const { node, env } = await findToolchain(root);
		const command = ['scripts/soak.mts', '--minutes', '2', '--seed', SEED];
		const group = startGroup(lifecycle, node, command, { cwd: root, env, graceMs: 30_000 });
		const late = wait(LONGEST_MS, 'hung', { ref: false });
		const code = await Promise.race([group.ended, late]);
		const printed = group.tail().join('\n');
		expect(code === 0 ? 'passed' : `${code}\n${printed}`).toBe('passed');
		expect(printed).toMatch(/^lost 0$/m);

		const count = (pattern: RegExp) => Number(pattern.exec(printed)?.[1] ?? 0);
		const troubles = ['killed n8n', 'outage', 'lost answers'];
		const struck = (kind: string) => count(new RegExp(`^  ${kind}: .* (\\d+) hits$`, 'm')) > 0;
		expect(troubles.filter(struck)).toEqual(troubles);
		expect(count(/^  files: (\d+) asked for/m)).toBeGreaterThan(LEAST);
		expect(count(/^  events by webhook: (\d+) asked for/m)).toBeGreaterThan(LEAST);
		expect(count(/^  events by poll: (\d+) asked for/m)).toBeGreaterThan(LEAST);
		expect(count(/^jobs .*synchronise (\d+)/m)).toBeGreaterThan(0);
		expect(count(/^jobs .*repeated (\d+)/m)).toBeGreaterThan(0);
	},
	OPENING_MS,
);
