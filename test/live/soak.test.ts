/** Two minutes of `npm run soak`, as a person starts it. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGroup } from '../../scripts/process/group.ts';
import { findToolchain } from '../../scripts/process/toolchain.ts';
import type { SoakResult } from '../../scripts/soak/soak.ts';
import { openLifecycle } from './lifecycle.ts';
import { OPENING_MS, root } from './live.ts';

/** Its first troubles are an outage, a changed dialect, lost answers and a kill of n8n. */
const SEED = '77';

/** How many files and events there are at least, on a machine that is slow and busy too; usually about fifty. */
const LEAST = 5;

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
		expect([code, group.tail().join('\n')]).toEqual([0, expect.stringMatching(/^lost 0$/m)]);

		const result = JSON.parse(await readFile(join(folder, 'soak.json'), 'utf8')) as SoakResult;
		const struck = result.strikes.filter(({ hits }) => hits > 0).map(({ kind }) => kind);
		expect(struck).toEqual(
			expect.arrayContaining(['killed n8n', 'outage', 'lost answers', 'changed dialect']),
		);
		expect(result.verdict.files.asked).toBeGreaterThan(LEAST);
		expect(result.verdict.events.webhook.reported).toBeGreaterThan(LEAST);
		expect(result.verdict.events.poll.reported).toBeGreaterThan(LEAST);
		expect(result.jobs.repeated).toBeGreaterThan(0);
		expect(await readFile(join(folder, 'soak.md'), 'utf8')).toContain('images/soak-memory.svg');
		expect(await readFile(join(folder, 'images/soak-memory.svg'), 'utf8')).toMatch(/^<svg .*\n/);
	},
	OPENING_MS,
);
