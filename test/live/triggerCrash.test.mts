/** A real n8n that is killed while events come: what was acknowledged is there when it is started again. */
import { openEvents } from './acknowledged.mts';
import { HOSTS, OPENING_MS, openLive } from './live.mts';
import type { Live } from './live.mts';

/** Set KILLS for more. */
const KILLS = Number(process.env.KILLS ?? 2);
/** A start of n8n takes a minute on a busy machine. */
const CYCLE_MS = 900_000;
/** n8n 1 may lose what it has answered at most so long before it is killed: a second, but longer on a slow and busy machine. */
const UNSTORED_MS = 15_000;

describe.each(HOSTS)(`Of ${KILLS} kills of %s under deliveries,`, (hostName) => {
	let live: Live;
	let events: Awaited<ReturnType<typeof openEvents>>;

	beforeAll(async () => {
		live = await openLive(hostName);
		events = await openEvents(live);
	}, OPENING_MS);
	afterAll(() => live.close());

	// n8n 1 answers before it stores the execution.
	const promise =
		hostName === 'n8n-1'
			? 'none loses an event that was not acknowledged right before'
			: 'none loses an event that was acknowledged';

	it(
		`${promise}, with downloads and without`,
		async () => {
			const receivers = [
				await events.publish('without downloads', false),
				await events.publish('with downloads', true),
			];
			for (let kill = 0; kill < KILLS; kill++) {
				await events.strike(async () => await live.host.group.kill());
				await live.restartHost();
				await events.deliverRest(receivers);
			}
			const struck = Array<number>(KILLS).fill(0);
			for (const receiver of receivers) {
				const account = await events.account(receiver);
				const { deliveries, crashed, repeated, lost } = account;
				process.stdout.write(
					`${hostName}, ${receiver.workflow.name}: ${KILLS} kills, ${deliveries} events, ${crashed} crashed and retried, ${repeated} came twice, ${lost.length} lost; struck at each kill: ${account.struck.join(' ')}\n`,
				);
				expect(account).toMatchObject({ unacknowledged: [], failed: 0 });
				if (hostName === 'n8n-1') {
					for (const one of lost) expect(events.readLead(one)).toBeLessThan(UNSTORED_MS);
				} else {
					expect(lost).toEqual([]);
				}
				for (const [at, count] of account.struck.entries()) struck[at] = (struck[at] ?? 0) + count;
			}
			expect(struck.filter((count) => count === 0)).toEqual([]);
		},
		CYCLE_MS * (KILLS + 1),
	);
});
