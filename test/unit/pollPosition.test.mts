/** How far a poll trigger has got, whatever becomes of n8n between two polls. */
import { Workflow } from 'n8n-workflow';
import type { IDataObject, INode } from 'n8n-workflow';
import type { PollState } from '../../nodes/Dossier/trigger/poll/poll';
import { loadApart } from '../integration/loadApart.mts';

const SOURCE = 'trigger and service';
const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();

/** A process of n8n, which knows nothing of another one. */
const startProcess = async () =>
	await loadApart(async () => await import('../../nodes/Dossier/trigger/poll/position'));

/** Static data as n8n gives them to an active workflow, from what it has stored. */
function activate(stored: string): IDataObject {
	const node: INode = {
		id: 'n',
		name: 'Poll',
		type: 'poll',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
	};
	const unused = () => {
		throw new Error('No node is looked up');
	};
	const nodeTypes = {
		getByName: unused,
		getByNameAndVersion: () => undefined as never,
		getKnownTypes: () => ({}),
	};
	const staticData = { 'node:Poll': JSON.parse(stored) as IDataObject };
	const workflow = new Workflow({
		id: 'w',
		nodes: [],
		connections: {},
		active: true,
		nodeTypes,
		staticData,
	});
	return workflow.getStaticData('node', node);
}

const createItem = (id: number): IDataObject => ({ event: 'x', delivery: { id: String(id) } });

const readIds = (items: IDataObject[] | undefined) =>
	items?.map(({ delivery }) => Number((delivery as IDataObject).id));

/** A log of numbered events: reads what the state has not seen. */
const readLog = (count: number) => async (state: PollState | undefined) => {
	const done = Object.keys(state?.list?.seen ?? {}).map(Number);
	const all = Array.from({ length: count }, (_, n) => n);
	const seen = Object.fromEntries(all.map((n) => [String(n), 0]));
	const list = {
		watermark: at(0),
		seen,
		forgotten: 0,
		order: 'asc' as const,
		about: '',
		every: 1,
		waited: 0,
	};
	return await Promise.resolve({
		errors: [],
		items: state ? all.filter((n) => !done.includes(n)).map(createItem) : [],
		state: { source: SOURCE, polls: (state?.polls ?? 0) + 1, list },
	});
};

describe('The position of a poll trigger', () => {
	it('does not lose a batch that n8n dropped because the workflow was activated anew', async () => {
		const n8n = await startProcess();
		const data = activate('{}');
		readIds(await n8n.advancePosition(SOURCE, data, readLog(2)));
		const stored = JSON.stringify(data);
		expect(readIds(await n8n.advancePosition(SOURCE, data, readLog(3)))).toEqual([2]);
		expect(readIds(await n8n.advancePosition(SOURCE, activate(stored), readLog(3)))).toEqual([2]);
	});

	it('does not give a batch again to another activation if its run has begun, also before n8n has saved', async () => {
		const n8n = await startProcess();
		const data = activate('{}');
		readIds(await n8n.advancePosition(SOURCE, data, readLog(2)));
		const stored = JSON.stringify(data);
		expect(readIds(await n8n.advancePosition(SOURCE, data, readLog(3)))).toEqual([2]);
		n8n.commitRun(SOURCE, activate(stored), [2].map(createItem));
		expect(readIds(await n8n.advancePosition(SOURCE, activate(stored), readLog(3)))).toEqual([]);
	});

	it('is written at once if n8n stores it together with the run', async () => {
		const before = await startProcess();
		const stored: IDataObject = {};
		readIds(await before.advancePosition(SOURCE, stored, readLog(2)));
		const taken = structuredClone(stored);
		expect(readIds(await before.advancePosition(SOURCE, taken, readLog(3)))).toEqual([2]);
		const after = await startProcess();
		expect(
			readIds(await after.advancePosition(SOURCE, structuredClone(taken), readLog(3))),
		).toEqual([]);
	});

	describe('if n8n stores it together with the run, and gives each poll a copy of what is stored', () => {
		/** What n8n has stored after the first poll, in the process that made it. */
		async function startDurable() {
			const { advancePosition } = await startProcess();
			const stored: IDataObject = {};
			await advancePosition(SOURCE, stored, readLog(1));
			const poll = async (count: number) => {
				const cursor = structuredClone(stored);
				const ids = readIds(await advancePosition(SOURCE, cursor, readLog(count)));
				return { ids, cursor };
			};
			return { advancePosition, stored, poll };
		}

		it('gives nothing twice in polls that overlap, and leaves what n8n has stored as it is', async () => {
			const { stored, poll } = await startDurable();
			const [first, during] = await Promise.all([poll(2), poll(2)]);
			// n8n gave it its copy before it stored what the first one left.
			const late = await poll(2);
			expect([first.ids, during.ids, late.ids]).toEqual([[1], [], []]);
			expect([during.cursor, late.cursor]).toEqual([stored, stored]);
			Object.assign(stored, first.cursor);
			expect(await poll(3)).toMatchObject({ ids: [2] });
		});

		it('begins once in polls that overlap', async () => {
			const { advancePosition } = await startProcess();
			const first: IDataObject = {};
			const second: IDataObject = {};
			const polls = [first, second].map((cursor) => advancePosition(SOURCE, cursor, readLog(1)));
			expect(await Promise.all(polls)).toEqual([[], []]);
			expect(second).toEqual({});
			expect(readIds(await advancePosition(SOURCE, first, readLog(2)))).toEqual([1]);
		});

		it('gives a batch again whose run n8n could not store, one poll later', async () => {
			const { poll } = await startDurable();
			expect(await poll(2)).toMatchObject({ ids: [1] });
			expect(await poll(2)).toMatchObject({ ids: [] });
			expect(await poll(2)).toMatchObject({ ids: [1] });
		});
	});

	it('begins anew if n8n no longer has it, and not where it began before, if n8n stores it together with the run', async () => {
		const { advancePosition } = await startProcess();
		await advancePosition(SOURCE, {}, readLog(1));
		expect(readIds(await advancePosition(SOURCE, {}, readLog(3)))).toEqual([]);
		const third: IDataObject = {};
		expect(readIds(await advancePosition(SOURCE, third, readLog(3)))).toEqual([]);
		expect(readIds(await advancePosition(SOURCE, third, readLog(4)))).toEqual([3]);
	});

	it('keeps what failed polls have left, until n8n has stored another poll, if n8n stores it together with the run', async () => {
		const { advancePosition } = await startProcess();
		const stored: IDataObject = {};
		await advancePosition(SOURCE, stored, readLog(1));
		const begun: unknown[] = [];
		/** A poll that fails. n8n drops the copy of what it has stored. */
		const fail = async () => {
			const poll = advancePosition(SOURCE, structuredClone(stored), async (state) => {
				begun.push(state?.polls);
				const next = { source: SOURCE, ...state, polls: (state?.polls ?? 0) + 1 };
				return await Promise.resolve({ items: [], errors: [new Error('stuck')], state: next });
			});
			await expect(poll).rejects.toThrow('stuck');
		};
		for (let n = 0; n < 3; n++) await fail();
		expect(begun).toEqual([1, 2, 3]);
		const read = await advancePosition(SOURCE, stored, readLog(2));
		expect([readIds(read), stored]).toMatchObject([[1], { poll: { polls: 5 } }]);
		await fail();
		// Another process may have polled meanwhile.
		Object.assign(stored, { poll: { source: SOURCE, polls: 9 } });
		await fail();
		expect(begun).toEqual([1, 2, 3, 5, 9]);
	});

	describe('if n8n could not store the run of a batch', () => {
		/** A process in which the run of 2 has begun, and that of 3 was dropped. */
		async function startDropping() {
			const n8n = await startProcess();
			const data = activate('{}');
			const poll = async (count: number) =>
				readIds(await n8n.advancePosition(SOURCE, data, readLog(count)));
			const begin = (...events: number[]) => {
				const run = activate(JSON.stringify(data));
				n8n.commitRun(SOURCE, run, events.map(createItem));
				return JSON.stringify(run);
			};
			await poll(2);
			expect(await poll(3)).toEqual([2]);
			begin(2);
			expect(await poll(4)).toEqual([3]);
			return { data, poll, begin };
		}

		const restart = async (stored: string) => {
			const n8n = await startProcess();
			return readIds(await n8n.advancePosition(SOURCE, activate(stored), readLog(6)));
		};

		it('gives the batch again once the run of a later one has begun, and then no more', async () => {
			const { poll, begin } = await startDropping();
			expect(await poll(5)).toEqual([4]);
			begin(4);
			expect(await poll(6)).toEqual([3, 5]);
			begin(3, 5);
			expect(await poll(6)).toEqual([]);
		});

		it('gives it with the next poll, also if nothing is new', async () => {
			const { poll, begin } = await startDropping();
			await poll(5);
			begin(4);
			expect(await poll(5)).toEqual([3]);
		});

		it('gives it again after a crash, before and after the run of a later one has begun', async () => {
			const { data, poll, begin } = await startDropping();
			await poll(4);
			expect(await restart(JSON.stringify(data))).toContain(3);
			await poll(5);
			expect(await restart(begin(4))).toContain(3);
			await poll(5);
			expect(await restart(JSON.stringify(data))).toContain(3);
		});

		it('does not give batches again whose runs begin late, but in order', async () => {
			const { poll, begin } = await startDropping();
			expect(await poll(5)).toEqual([4]);
			begin(3);
			begin(4);
			expect(await poll(6)).toEqual([5]);
		});
	});

	it('gives no batch again whose run begins after that of a later batch, but before the next poll', async () => {
		const n8n = await startProcess();
		const data = activate('{}');
		const poll = async (count: number) =>
			readIds(await n8n.advancePosition(SOURCE, data, readLog(count)));
		await poll(2);
		expect(await poll(3)).toEqual([2]);
		expect(await poll(4)).toEqual([3]);
		n8n.commitRun(SOURCE, activate(JSON.stringify(data)), [3].map(createItem));
		n8n.commitRun(SOURCE, activate(JSON.stringify(data)), [2].map(createItem));
		expect(await poll(5)).toEqual([4]);
	});

	it('is moved by one poll at a time', async () => {
		const n8n = await startProcess();
		const data = activate('{}');
		readIds(await n8n.advancePosition(SOURCE, data, readLog(2)));
		const polls = [1, 2].map(async () =>
			readIds(await n8n.advancePosition(SOURCE, data, readLog(3))),
		);
		expect(await Promise.all(polls)).toEqual([[2], []]);
	});
});
