/** Every operation of the node against every misbehaviour of the service that can meet it. */
import { readdirSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { resources } from '../../../nodes/Dossier/resources';
import { collectGarbage } from '../garbage';
import { useBinaryMode } from '../n8n';
import { engine } from './engine';
import { checkContract } from './jobs/checkContract';
import { jobs } from './jobs/jobs';
import { rows, runRow } from './rows';
import type { Row } from './table/misbehaviour';

/** How many rows run at once by what they cost: those that wait for the service do little meanwhile. */
const AT_ONCE = [
	{ costs: undefined, rows: 6 },
	{ costs: 'time', rows: 180 },
	{ costs: 'memory', rows: 5 },
] as const;

async function runAll(chosen: Row[], atOnce: number, found: Map<Row, string[]>) {
	const left = [...chosen];
	const work = async (nth: number) => {
		// One after the other, since a machine that is busy for seconds would make the service seem silent.
		await delay(nth * 50);
		for (let row = left.shift(); row; row = left.shift()) {
			found.set(row, await runRow(row, engine(`row-${found.size}`)));
		}
	};
	await Promise.all(Array.from({ length: atOnce }, (_, nth) => work(nth)));
}

/** The files below a folder that this process holds open, after all that nobody refers to is gone. */
function openFiles(folder: string): string[] {
	collectGarbage();
	const targets = readdirSync('/proc/self/fd').map((name) => {
		try {
			return readlinkSync(`/proc/self/fd/${name}`);
		} catch {
			return '';
		}
	});
	return targets.filter((target) => target.startsWith(folder));
}

it('has a job for every operation of the node except the one that reports misbehaviour', () => {
	const operations = resources
		.flatMap(({ value, operations: own }) => own.map((operation) => `${value}/${operation.value}`))
		.filter((operation) => operation !== checkContract.operation);
	expect([...new Set(jobs.map(({ operation }) => operation))].sort()).toEqual(operations.sort());
});

describe.each(['filesystem', 'default'] as const)('In binary mode %s', (mode) => {
	const chosen = rows.filter(({ target }) => mode === 'filesystem' || target.job.file);
	const found = new Map<Row, string[]>();
	let forget: () => Promise<void>;
	let open: string[] = [];

	beforeAll(async () => {
		const stored = await useBinaryMode(mode);
		forget = stored;
		// The pauses before a repetition are as short as chance allows.
		jest.spyOn(Math, 'random').mockReturnValue(0.01);
		for (const { costs, rows: atOnce } of AT_ONCE) {
			const alike = chosen.filter(({ misbehaviour }) => misbehaviour.costs === costs);
			await runAll(alike, atOnce, found);
		}
		open = openFiles(join(tmpdir(), 'n8n-binary-'));
	}, 2_400_000);

	afterAll(async () => {
		await forget();
	});

	it.each(chosen.map((row) => [row.name, row] as const))('%s', (_, row) => {
		expect(found.get(row)).toEqual([]);
	});

	it('leaves no file open', () => {
		expect(open).toEqual([]);
	});
});
