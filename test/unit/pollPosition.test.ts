/** How far a poll trigger has got, whatever becomes of n8n between two polls. */
import { Workflow } from 'n8n-workflow';
import type { IDataObject, INode } from 'n8n-workflow';
import type * as position from '../../nodes/Dossier/trigger/poll/position';
import { deriveState, joinStates, readState } from '../../nodes/Dossier/trigger/poll/state';
import type { PollState } from '../../nodes/Dossier/trigger/poll/state';

const SOURCE = 'trigger and service';
const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();

type Position = typeof position;

/** A process of n8n, which knows nothing of another one. */
async function startProcess(): Promise<Position> {
	let loaded: Position | undefined;
	await jest.isolateModulesAsync(async () => {
		loaded = await import('../../nodes/Dossier/trigger/poll/position');
	});
	if (!loaded) throw new Error('It was not loaded');
	return loaded;
}

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

/** A log of numbered events, one in each minute: reads what comes after the state. */
const readLog = (count: number) => async (state: PollState | undefined) => {
	const done = Object.keys(state?.feed?.seen ?? {}).map(Number);
	const events = state
		? Array.from({ length: count }, (_, n) => n).filter((n) => !done.includes(n))
		: [];
	const seen = Object.fromEntries(Array.from({ length: count }, (_, n) => [String(n), at(0)]));
	return await Promise.resolve({
		events,
		state: { source: SOURCE, nextDueCheck: 0, feed: { since: at(0), seen } },
	});
};

const createItems = (...ids: number[]) =>
	ids.map((id) => ({ json: { event: 'x', created_at: at(0), delivery: { id: String(id) } } }));

const derive = (events: number[]) => deriveState(SOURCE, createItems(...events));

describe('The position of a poll trigger', () => {
	it('gives each event once while n8n runs', async () => {
		const n8n = await startProcess();
		const data = activate('{}');
		const poll = async (count: number) =>
			await n8n.advancePosition(SOURCE, data, readLog(count), derive);
		expect(await poll(2)).toEqual([]);
		expect(await poll(3)).toEqual([2]);
		expect(await poll(3)).toEqual([]);
		expect(await poll(5)).toEqual([3, 4]);
		expect(await poll(6)).toEqual([5]);
	});

	it('gives a batch again after a crash before its run was stored', async () => {
		const before = await startProcess();
		const data = activate('{}');
		await before.advancePosition(SOURCE, data, readLog(2), derive);
		await before.advancePosition(SOURCE, data, readLog(3), derive);
		await before.advancePosition(SOURCE, data, readLog(4), derive);
		// n8n has begun to save when the last poll had given out 3
		const after = await startProcess();
		const restored = activate(JSON.stringify(data));
		expect(await after.advancePosition(SOURCE, restored, readLog(4), derive)).toEqual([3]);
	});

	it('does not give a batch again after a restart if its run has begun', async () => {
		const before = await startProcess();
		const data = activate('{}');
		await before.advancePosition(SOURCE, data, readLog(2), derive);
		expect(await before.advancePosition(SOURCE, data, readLog(4), derive)).toEqual([2, 3]);
		const run = activate(JSON.stringify(data));
		before.settle(run, deriveState(SOURCE, createItems(2, 3)));
		const after = await startProcess();
		const restored = activate(JSON.stringify(run));
		expect(await after.advancePosition(SOURCE, restored, readLog(5), derive)).toEqual([4]);
	});

	it('does not lose a batch that n8n dropped because the workflow was activated anew', async () => {
		const n8n = await startProcess();
		const data = activate('{}');
		await n8n.advancePosition(SOURCE, data, readLog(2), derive);
		const stored = JSON.stringify(data);
		expect(await n8n.advancePosition(SOURCE, data, readLog(3), derive)).toEqual([2]);
		expect(await n8n.advancePosition(SOURCE, activate(stored), readLog(3), derive)).toEqual([2]);
	});

	it('does not give a batch again to another activation if its run has begun, also before n8n has saved', async () => {
		const n8n = await startProcess();
		const data = activate('{}');
		await n8n.advancePosition(SOURCE, data, readLog(2), derive);
		const stored = JSON.stringify(data);
		expect(await n8n.advancePosition(SOURCE, data, readLog(3), derive)).toEqual([2]);
		n8n.settle(activate(stored), deriveState(SOURCE, createItems(2)));
		expect(await n8n.advancePosition(SOURCE, activate(stored), readLog(3), derive)).toEqual([]);
	});

	it('is written at once if n8n stores it together with the run', async () => {
		const before = await startProcess();
		const stored: IDataObject = {};
		await before.advancePosition(SOURCE, stored, readLog(2), derive);
		const dropped = structuredClone(stored);
		expect(await before.advancePosition(SOURCE, dropped, readLog(3), derive)).toEqual([2]);
		const taken = structuredClone(stored);
		expect(await before.advancePosition(SOURCE, taken, readLog(3), derive)).toEqual([2]);
		const after = await startProcess();
		expect(await after.advancePosition(SOURCE, structuredClone(taken), readLog(3), derive)).toEqual(
			[],
		);
	});

	it('is not undone by a poll that begins before the first one has ended, if n8n stores it together with the run', async () => {
		const { advancePosition } = await startProcess();
		// n8n gives each poll a copy of what is stored, and stores the copy after the poll.
		const first: IDataObject = {};
		const second: IDataObject = {};
		const ended = await Promise.all([
			advancePosition(SOURCE, first, readLog(1), derive),
			advancePosition(SOURCE, second, readLog(2), derive),
		]);
		expect(ended).toEqual([[], [1]]);
		expect(readState(second.poll, SOURCE)?.feed?.seen).toHaveProperty('1');
		expect(await advancePosition(SOURCE, { ...second }, readLog(3), derive)).toEqual([2]);
	});

	it('lets a poll read if the one before it fails, if n8n stores it together with the run', async () => {
		const { advancePosition } = await startProcess();
		const stored: IDataObject = {};
		await advancePosition(SOURCE, stored, readLog(1), derive);
		const fails = async () => await Promise.reject(new Error('The service is down'));
		const [failed, read] = await Promise.allSettled([
			advancePosition(SOURCE, { ...stored }, fails, derive),
			advancePosition(SOURCE, { ...stored }, readLog(2), derive),
		]);
		expect(failed.status).toBe('rejected');
		expect(read).toEqual({ status: 'fulfilled', value: [1] });
	});

	describe('if n8n could not store the run of a batch', () => {
		/** A process in which the run of 2 has begun, and that of 3 was dropped. */
		async function startDropping() {
			const n8n = await startProcess();
			const data = activate('{}');
			const poll = async (count: number) =>
				await n8n.advancePosition(SOURCE, data, readLog(count), derive);
			const begin = (...events: number[]) => {
				const run = activate(JSON.stringify(data));
				n8n.settle(run, derive(events));
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
			return await n8n.advancePosition(SOURCE, activate(stored), readLog(6), derive);
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

	it('stays if a poll fails, and the next poll continues there', async () => {
		const n8n = await startProcess();
		const data = activate('{}');
		await n8n.advancePosition(SOURCE, data, readLog(2), derive);
		const fail = async () => await Promise.reject(new Error('The service is down'));
		await expect(n8n.advancePosition(SOURCE, data, fail, derive)).rejects.toThrow(
			'The service is down',
		);
		expect(await n8n.advancePosition(SOURCE, data, readLog(3), derive)).toEqual([2]);
	});

	it('is moved by one poll at a time', async () => {
		const n8n = await startProcess();
		const data = activate('{}');
		await n8n.advancePosition(SOURCE, data, readLog(2), derive);
		const polls = [1, 2].map(
			async () => await n8n.advancePosition(SOURCE, data, readLog(3), derive),
		);
		expect(await Promise.all(polls)).toEqual([[2], undefined]);
	});
});

describe('The state of a poll trigger', () => {
	const state = (since: number, ...ids: number[]): PollState => ({
		source: SOURCE,
		nextDueCheck: since,
		feed: { since: at(since), seen: Object.fromEntries(ids.map((id) => [id, at(id)])) },
		due: { checkedAt: at(since), announced: { [`task ${since}`]: at(60) } },
	});

	it('is read as it was kept, and not for another trigger or service', () => {
		const kept = JSON.parse(JSON.stringify(state(3, 1, 2, 3))) as unknown;
		expect(readState(kept, SOURCE)).toEqual(state(3, 1, 2, 3));
		expect(readState(kept, 'a copy')).toBeUndefined();
		expect(readState(undefined, SOURCE)).toBeUndefined();
	});

	it('can be joined: it has all entries of both, as far back as entries are requested again', () => {
		const joined = {
			source: SOURCE,
			nextDueCheck: 8,
			feed: { since: at(8), seen: { 3: at(3), 4: at(4), 8: at(8) } },
			due: { checkedAt: at(8), announced: { 'task 4': at(60), 'task 8': at(60) } },
		};
		expect(joinStates(state(4, 1, 3, 4), state(8, 8))).toEqual(joined);
		expect(joinStates(state(8, 8), state(4, 1, 3, 4))).toEqual(joined);
		expect(joinStates(state(8, 8), undefined)).toEqual(state(8, 8));
	});

	it('follows from the items of a run', () => {
		const task = {
			event: 'task.due_soon',
			created_at: at(9),
			data: { task_id: 'tsk_1', due_at: at(60) },
			delivery: { id: `tsk_1 ${at(60)}` },
		};
		expect(deriveState(SOURCE, [...createItems(1, 2), { json: task }])).toEqual({
			source: SOURCE,
			nextDueCheck: 0,
			feed: { since: at(0), seen: { 1: at(0), 2: at(0) } },
			due: { checkedAt: at(9), announced: { tsk_1: at(60) } },
		});
		expect(deriveState(SOURCE, [])).toEqual({ source: SOURCE, nextDueCheck: 0 });
	});
});
