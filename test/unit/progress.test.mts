/** What n8n's log says each minute about a long run. */
import { CallScope, sendUntilAnswered } from '../../nodes/Dossier/api/send/attempts';
import { Pacer } from '../../nodes/Dossier/api/pace/pacing';
import { endpoints } from '../../nodes/Dossier/api/endpoints';
import { planWindows } from '../../nodes/Dossier/api/pace/limits';
import type { RunFact } from '../../nodes/Dossier/execution/operation';
import { describeTime, Progress } from '../../nodes/Dossier/execution/progress';
import { HOUR, MINUTE, START, VirtualClock } from './virtualClock.mts';

/** Uploads files, one after the other, each with one request that takes a time in ms. Skips some, without one: every tenth. */
async function importFiles(
	files: number,
	ms: number,
	rateLimit: 'off' | 'business',
	isSkipped = (n: number) => n % 10 === 9,
) {
	// One pause for each wait keeps the test short.
	const clock = new VirtualClock(START, MINUTE / 2);
	const pacer = new Pacer(planWindows({ rateLimit }), clock);
	const connection = { root: 'https://api.example', warn: () => {} };
	const policy = { concurrency: 1, longestWait: HOUR, timeout: 1_000 };
	const scope = new CallScope(policy);
	const context = {
		...endpoints['documents.upload'],
		hasIdempotencyKey: false,
		connection,
		policy,
	};
	const facts = new Map<RunFact, number>();
	const lines: string[] = [];
	const forecast = (requests: number) => pacer.forecast(requests);
	const progress = new Progress(files, scope, facts, forecast, (line) => lines.push(line));
	scope.onBeat = (...beat) => progress.beat(...beat);
	for (let n = 0; n < files; n++) {
		if (isSkipped(n)) facts.set('skipped', (facts.get('skipped') ?? 0) + 1);
		else
			await sendUntilAnswered({ ...context, pacer, scope }, async () => {
				clock.pass(ms);
				return await Promise.resolve({ statusCode: 201, headers: {} });
			});
		progress.endItem();
	}
	return { lines, took: clock.now() - START };
}

it('says how much is done, how fast, and how long the rest takes', async () => {
	const { lines } = await importFiles(100, 2_000, 'off');
	expect(lines).toEqual([
		'33 of 100 items are done (3 skipped). 33 a minute so far; the rest takes about 2 min.',
		'66 of 100 items are done (6 skipped). 33 a minute so far; the rest takes about 62 s.',
	]);
});

it('says it each minute, also while the run waits, and forecasts by the plan what it takes', async () => {
	const { lines, took } = await importFiles(3_000, 100, 'business');
	expect(lines.length).toBeGreaterThan(120);
	expect(describeTime(took)).toBe('2 h 6 min');
	expect(lines[0]).toContain('the rest takes about 2 h 6 min by the plan.');
	expect(lines.filter((line) => !line.includes('by the plan.'))).toEqual([]);
	expect(lines.filter((line) => line.includes('2026-03-31T13:00:01'))[0]).toContain(
		'Waits for the rate limit, at least until 2026-03-31T13:00:01',
	);
});

it('forecasts what is left of an import by its last items, not by those that it skipped at first', async () => {
	const { lines, took } = await importFiles(3_000, 100, 'business', (n) => n < 1_500);
	expect(describeTime(took)).toBe('1 h 4 min');
	expect(lines[0]).toContain('(1500 skipped)');
	expect(lines[0]).toContain('the rest takes about 1 h 4 min by the plan.');
});

it('says nothing about a run of less than a minute', async () => {
	expect((await importFiles(100, 100, 'business')).lines).toEqual([]);
});
