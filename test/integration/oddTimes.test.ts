/** Events are distinguished by the service's own times, whatever the clock here says, and however the service writes them. */
import type { IDataObject } from 'n8n-workflow';
import { useFakes } from './fakeService';
import { openPolling } from './pollHost';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const PAGE = 3;

const fake = useFakes();

/** A service whose clock is ahead of the one here, in ms. It ignores filters and the order that is asked for. */
async function startAhead(ahead: number) {
	const lists: Record<'audit-log' | 'tasks', IDataObject[]> = { 'audit-log': [], tasks: [] };
	/** A time by the clock of the service, so many ms from now. */
	const at = (later = 0) => new Date(Date.now() + ahead + later).toISOString();
	const { credential } = await fake(({ url = '' }, response, { query }) => {
		const list = Object.entries(lists).find(([name]) => url.startsWith(`/v1/${name}?`))?.[1] ?? [];
		const page = Number(query.get('page') ?? 1);
		response.writeHead(200, {
			'Content-Type': 'application/json',
			Date: new Date(at()).toUTCString(),
		});
		response.end(JSON.stringify({ data: list.slice((page - 1) * PAGE, page * PAGE) }));
	});
	return { lists, at, credential };
}

const created = (id: string, time?: string): IDataObject => ({
	id,
	...(time && { created_at: time }),
	action: 'dossier.created',
	target: { type: 'dossier', id },
});

describe.each([
	['ahead', HOUR],
	['behind', -HOUR],
])('The clock of the service is an hour %s', (_, ahead) => {
	afterEach(() => jest.restoreAllMocks());

	it('and the poll trigger gives each event once, and announces a task a day before it is due', async () => {
		const { lists, at, credential } = await startAhead(ahead);
		const host = openPolling({ credential, parameters: { events: ['*'] } });
		const poll = async () => (await host.poll()).map(({ json }) => json.data as IDataObject);
		lists['audit-log'] = [created('before', at(-10 * MINUTE))];
		lists.tasks = [
			{ id: 'soon', status: 'pending', due_at: at(24 * HOUR + 5 * MINUTE) },
			{ id: 'later', status: 'pending', due_at: at(24 * HOUR + 30 * MINUTE) },
		];
		expect(await poll()).toEqual([]);
		lists['audit-log'].push(created('after', at()));
		expect(await poll()).toMatchObject([{ dossier_id: 'after' }]);
		expect(await poll()).toEqual([]);
		const { now } = Date;
		jest.spyOn(Date, 'now').mockImplementation(() => now() + 11 * MINUTE);
		expect(await poll()).toMatchObject([{ task_id: 'soon' }]);
		lists['audit-log'].push(created('last', at()));
		expect(await poll()).toMatchObject([{ dossier_id: 'last' }]);
		await host.restart();
		expect(await poll()).toEqual([]);
	});
});
