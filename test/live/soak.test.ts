/** Two minutes of `npm run soak`, as a person starts it. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGroup } from '../../scripts/process/group.ts';
import { findToolchain } from '../../scripts/process/toolchain.ts';
import type { SoakResult } from '../../scripts/soak/soak.ts';
import { openLifecycle } from './lifecycle.ts';
import { OPENING_MS, root } from './live.ts';

/** Its first troubles are lost answers, an outage, a changed dialect and a kill of n8n, which the run makes on any machine. */
const SEED = '5892';

/** There are more files and events than this on any machine: the run handles 18 dossiers at least, each with one file or more. */
const LEAST = 17;

const { lifecycle, close } = openLifecycle();
afterAll(close);

it(
	'A soak loses nothing while the service fails and n8n is killed, and writes its page',
	async () => {
		const folder = await mkdtemp(join(tmpdir(), 'dossier-soak-test-'));
		lifecycle.onEnd(() => rm(folder, { recursive: true, force: true }));
		const { node, env } = await findToolchain(root);
		const command = ['scripts/soak.ts', '--minutes', '2', '--seed', SEED, '--into', folder];
		const group = startGroup(lifecycle, node, command, { cwd: root, env, graceMs: 30_000 });
		const code = await group.ended;
		const printed = group.tail().join('\n');
		expect(printed).toMatch(/^lost 0$/m);
		expect(code === 0 ? 'passed' : printed).toBe('passed');

		const result = JSON.parse(await readFile(join(folder, 'soak.json'), 'utf8')) as SoakResult;
		const struck = result.strikes.filter(({ hits }) => hits > 0).map(({ kind }) => kind);
		expect(struck).toEqual(
			expect.arrayContaining(['killed n8n', 'outage', 'lost answers', 'changed dialect']),
		);
		expect(result.verdict.files.asked).toBeGreaterThan(LEAST);
		expect(result.verdict.events.webhook.reported).toBeGreaterThan(LEAST);
		expect(result.verdict.events.poll.reported).toBeGreaterThan(LEAST);
		expect(result.jobs.synchronise).toBeGreaterThan(0);
		expect(result.jobs.repeated).toBeGreaterThan(0);
		expect(await readFile(join(folder, 'soak.md'), 'utf8')).toContain('images/soak-memory.svg');
		expect(await readFile(join(folder, 'images/soak-memory.svg'), 'utf8')).toMatch(/^<svg .*\n/);
	},
	OPENING_MS,
);
