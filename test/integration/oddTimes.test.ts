/** Events and records are distinguished by the service's own times, whatever the clock here says, and however the service writes them. */
import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import { openNew } from './newOnlyHost';
import { openPolling } from './pollHost';
import { credentialFor } from './requests';
import { withServer } from './servers';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const PAGE = 3;

interface Service {
	lists: Record<'audit-log' | 'tasks' | 'dossiers', IDataObject[]>;
	/** A time by the clock of the service, so many ms from now. */
	at: (later?: number) => string;
	credential: ICredentialDataDecryptedObject;
}

/** A service whose clock is ahead of the one here, in ms. It ignores filters and the order that is asked for. */
async function withService(ahead: number, work: (service: Service) => Promise<void>) {
	const lists: Service['lists'] = { 'audit-log': [], tasks: [], dossiers: [] };
	const at = (later = 0) => new Date(Date.now() + ahead + later).toISOString();
	await withServer(
		(request, response) => {
			const { pathname, searchParams } = new URL(request.url ?? '', 'http://service');
			const list = Object.entries(lists).find(([name]) => pathname === `/v1/${name}`)?.[1] ?? [];
			const page = Number(searchParams.get('page') ?? 1);
			response.writeHead(200, {
				'Content-Type': 'application/json',
				Date: new Date(at()).toUTCString(),
			});
			response.end(JSON.stringify({ data: list.slice((page - 1) * PAGE, page * PAGE) }));
		},
		async (url) => {
			await work({ lists, at, credential: credentialFor(url) });
		},
	);
}

const created = (id: string, time?: string): IDataObject => ({
	id,
	...(time && { created_at: time }),
	action: 'dossier.created',
	target: { type: 'dossier', id },
});

async function openList({ credential }: Service, resource: string) {
	const step = await openNew(credential, resource);
	return async () => (await step.run()).map(({ json }) => json.id ?? json.title);
}

describe.each([
	['ahead', HOUR],
	['behind', -HOUR],
])('The clock of the service is an hour %s', (_, ahead) => {
	afterEach(() => jest.restoreAllMocks());

	it('and the poll trigger gives each event once, and announces a task a day before it is due', async () => {
		await withService(ahead, async ({ lists, at, credential }) => {
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

	it('and Only What Is New gives each record once', async () => {
		await withService(ahead, async (service) => {
			const { lists, at } = service;
			lists.dossiers = [created('before', at(-10 * MINUTE)), created('just now', at())];
			const look = await openList(service, 'dossier');
			expect(await look()).toEqual([]);
			lists.dossiers.push(created('after', at(1_000)));
			expect(await look()).toEqual(['after']);
			expect(await look()).toEqual([]);
		});
	});
});

describe('Only What Is New', () => {
	it('gives records without an identifier or a time once', async () => {
		await withService(0, async (service) => {
			const { lists, at } = service;
			lists.dossiers = [{ title: 'bare' }, created('old')];
			const look = await openList(service, 'dossier');
			expect(await look()).toEqual([]);
			lists.dossiers.push({ title: 'new' }, created('no time'), {
				title: 'no id',
				created_at: at(1_000),
			});
			expect((await look()).sort()).toEqual(['new', 'no id', 'no time']);
			lists.dossiers.push(created('much later', at(HOUR)));
			expect(await look()).toEqual(['much later']);
			expect(await look()).toEqual([]);
		});
	});

	it('gives records of one moment over several pages once each', async () => {
		await withService(0, async (service) => {
			const { lists, at } = service;
			const look = await openList(service, 'auditLog');
			expect(await look()).toEqual([]);
			const moment = at(1_000);
			const ids = Array.from({ length: 3 * PAGE }, (_, n) => `aud_${n}`);
			lists['audit-log'] = ids.slice(0, 5).map((id) => created(id, moment));
			expect(await look()).toEqual(ids.slice(0, 5));
			lists['audit-log'].push(...ids.slice(5).map((id) => created(id, moment)));
			expect(await look()).toEqual(ids.slice(5));
		});
	});
});
