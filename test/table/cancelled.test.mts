/** Cancelling ends every call of every operation, whatever the service does meanwhile, by pairs, or all with TABLE=all. */
import { setTimeout as delay } from 'node:timers/promises';
import waitFor from 'p-wait-for';
import { waitInTurns } from '../integration/fakeService.mts';
import { runDossier } from '../integration/n8n.mts';
import { choosePairs } from './pairs.mts';
import { findLeftovers, prepare, rows } from './rows.mts';
import type { Row } from './misbehaviors/misbehavior.mts';

/** Misbehaviors that keep a call waiting for as long as its limits allow. */
const KEEPS_WAITING = [
	'is always silent before the headers',
	'is always silent in the middle of the body',
	'drips for longer than the timeout',
	'always answers 429, without Retry-After',
	'always answers 503',
	'stops reading the file',
	'reads the file for longer than the timeout',
];

const possible = rows
	.filter(({ misbehavior, continues }) => continues && KEEPS_WAITING.includes(misbehavior.name))
	.map((row) => ({ row, mode: 'filesystem' as const }));
const waiting = (process.env.TABLE === 'all' ? possible : choosePairs(possible)).map(
	({ row }) => row,
);

/** How long a cancelled call may take to end, on a busy machine too: far less than these services would keep it. */
const BOUND_MS = 8_000;
/** In this time, requests that were under way arrive, in ms. */
const UNDER_WAY = 1_000;
/** For how long nothing is to be sent after the end. */
const QUIET_MS = 500;
const AT_ONCE = 20;

/** Cancels a run as soon as the misbehavior has struck. */
async function cancelRow(row: Row, executionId: string): Promise<string[]> {
	const { service, work } = await prepare(row);
	let cancel = () => {};
	const cancelWhen = new Promise<void>((resolve) => (cancel = resolve));
	const parameters = { ...work.parameters, options: { timeout: 300 } };
	const running = runDossier({ ...work, parameters, executionId, cancelWhen }).catch(
		() => undefined,
	);
	const begun = () => service.requests.some(({ struck }) => struck);
	await waitFor(begun, { timeout: { milliseconds: 60_000, fallback: () => undefined } });
	const problems = begun() ? [] : ['the misbehavior did not strike'];
	cancel();
	await waitInTurns(UNDER_WAY);
	const after = service.requests.length;
	problems.push(...(await findLeftovers(service, BOUND_MS)));
	await delay(QUIET_MS);
	if (service.requests.length > after)
		problems.push('it was called again after the execution was cancelled');
	await service.stop();
	await running;
	return problems;
}

describe('A cancelled execution', () => {
	const found = new Map<Row, string[]>();

	beforeAll(async () => {
		const left = [...waiting];
		const work = async () => {
			for (let row = left.shift(); row; row = left.shift())
				found.set(row, await cancelRow(row, `cancelled-${found.size}`));
		};
		await Promise.all(Array.from({ length: AT_ONCE }, work));
	}, 1_200_000);

	it.each(waiting.map((row) => [row.name, row] as const))('ends its calls if %s', (_, row) => {
		expect(found.get(row)).toEqual([]);
	});
});
