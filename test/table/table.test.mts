/** Every operation of the node against every misbehavior of the service that it can meet: pairs of them, or all with TABLE=all. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { endpoints } from '../../nodes/Dossier/api/endpoints';
import { resources } from '../../nodes/Dossier/resources';
import { shortenPauses } from '../integration/fakeService.mts';
import { collectGarbage, openFiles } from '../integration/garbage.mts';
import { useBinaryMode } from '../integration/n8n.mts';
import { engine } from './engine.mts';
import { checkContract } from './jobs/checkContract.mts';
import { jobs } from './jobs/jobs.mts';
import { choosePairs } from './pairs.mts';
import { rows, runRow } from './rows.mts';
import { SILENCE } from './misbehaviors/misbehavior.mts';
import type { Row } from './misbehaviors/misbehavior.mts';

const MODES = ['filesystem', 'default'] as const;

/** The other binary mode makes a difference only to jobs with files. */
const possible = MODES.flatMap((mode) =>
	rows
		.filter(({ target }) => mode === 'filesystem' || target.job.file)
		.map((row) => ({ row, mode })),
);
const runs = process.env.TABLE === 'all' ? possible : choosePairs(possible);

/** How many rows run at once, by what they cost. Many rows only wait for the service. */
const AT_ONCE = [
	{ costs: undefined, rows: 6 },
	{ costs: 'time', rows: 180 },
	{ costs: 'memory', rows: 5 },
] as const;

async function runAll(chosen: Row[], atOnce: number, found: Map<Row, string[]>) {
	const left = [...chosen];
	const work = async (nth: number) => {
		// Staggered, since a machine that is busy for seconds makes the service seem silent.
		await delay(nth * 50);
		for (let row = left.shift(); row; row = left.shift()) {
			found.set(row, await runRow(row, engine(`row-${found.size}`)));
		}
	};
	await Promise.all(Array.from({ length: atOnce }, (_, nth) => work(nth)));
}

/** Downloads and uploads, which have jobs. test/integration/movedDocuments tests the rest. */
const MOVE = 'document/moveOrCopy';

it('has a job for every operation of the node but Move or Copy and Check Contract', () => {
	const operations = resources
		.flatMap(({ value, operations: own }) => own.map((operation) => `${value}/${operation.value}`))
		.filter((operation) => ![checkContract.operation, MOVE].includes(operation));
	expect([...new Set(jobs.map(({ operation }) => operation))].sort()).toEqual(operations.sort());
});

it('has a job for every endpoint except those of webhooks, which the trigger calls', () => {
	const called = new Set(jobs.flatMap(({ calls }) => calls));
	const left = Object.keys(endpoints).filter((name) => !called.has(name));
	expect(left.filter((name) => !name.startsWith('webhooks.'))).toEqual([]);
});

it('has a run with every call, every misbehavior, and with and without Continue On Fail', () => {
	const name = ({ target: { job, call }, misbehavior, continues }: Row) =>
		[`${job.operation} ${job.variant} ${call}`, misbehavior.name, continues] as const;
	const all = new Set(rows.flatMap(name));
	expect(new Set(runs.flatMap(({ row }) => name(row)))).toEqual(all);
});

shortenPauses();

/** Splits the timeout of a silent service into turns of this process, so that seconds in which it is busy count as one turn. */
beforeAll(() => {
	const TURNS = 30;
	const start = AbortSignal.timeout.bind(AbortSignal);
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
		if (ms > SILENCE * 1_000) return start(ms);
		const ended = new AbortController();
		const waitInTurns = async () => {
			for (let turn = 0; turn < TURNS; turn++) await delay(ms / TURNS, undefined, { ref: false });
			ended.abort();
		};
		void waitInTurns();
		return ended.signal;
	});
});
afterAll(() => jest.restoreAllMocks());

describe.each(MODES)('In binary mode %s', (mode) => {
	const chosen = runs.filter((run) => run.mode === mode).map(({ row }) => row);
	const found = new Map<Row, string[]>();
	let open: string[] = [];

	beforeAll(async () => {
		await useBinaryMode(mode);
		for (const { costs, rows: atOnce } of AT_ONCE) {
			const alike = chosen.filter(({ misbehavior }) => misbehavior.costs === costs);
			await runAll(alike, atOnce, found);
		}
		collectGarbage();
		open = openFiles(join(tmpdir(), 'n8n-binary-'));
	}, 2_400_000);

	it.each(chosen.map((row) => [row.name, row] as const))('%s', (_, row) => {
		expect(found.get(row)).toEqual([]);
	});

	it('leaves no file open', () => {
		expect(open).toEqual([]);
	});
});
