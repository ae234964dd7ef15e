/** The poll trigger at the sandbox: events of the audit log and due tasks. */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { readBinary, useLog } from './n8n.mts';
import { openPolling, openPollings } from './pollHost.mts';
import type { PollSetup } from './pollHost.mts';
import { runOn, uploadTo } from './requests.mts';
import { byId, PROFILES, useService } from './service.mts';

const log = useLog();

const readData = (items: INodeExecutionData[]) => items.map(({ json }) => json.data as IDataObject);
const readDocumentIds = (items: INodeExecutionData[]) =>
	readData(items).map(({ document_id: id }) => id);
const HOUR = 3_600_000;
const FAILING = '={{ $("Nowhere").item.json.title }}';

describe.each(PROFILES)('The poll trigger under the profile %s', (profile) => {
	const service = useService({ profile });
	let dossier: string;

	beforeAll(async () => {
		dossier = (await service.create('/dossiers', { title: 'Polled' })).id as string;
	});

	const open = (setup: Partial<PollSetup> = {}) =>
		openPolling({ credential: service.credential, ...setup });

	async function run(parameters: INodeParameters, content?: Buffer): Promise<IDataObject> {
		const files = { ...(content && { data: { fileName: 'a.pdf', content } }) };
		const { items, error } = await runOn(service, parameters, { items: [{ json: {}, files }] });
		if (error) throw error;
		return items[0]?.json ?? {};
	}

	const upload = async (category = 'invoice', into = dossier) =>
		(await run(uploadTo(into, { category }), Buffer.from('%PDF'))).id;

	it('begins with its first poll, and gives each upload once in the envelope of the webhooks', async () => {
		await upload();
		const host = open();
		expect(await host.poll()).toEqual([]);
		expect(await host.poll()).toEqual([]);
		const [first, second] = [await upload('invoice'), await upload('contract')];
		const items = await host.poll();
		expect(readDocumentIds(items)).toEqual([first, second]);
		expect(items[0]?.json).toEqual({
			event: 'document.uploaded',
			created_at: expect.stringMatching(/^\d{4}-.*Z$/),
			data: {
				document_id: first,
				dossier_id: dossier,
				category: 'invoice',
				uploaded_by: expect.any(String),
			},
			delivery: {
				id: expect.any(String),
				key: expect.any(String),
				received_at: expect.any(String),
				attempt: null,
			},
		});
		expect(await host.poll()).toEqual([]);
		const third = await upload();
		expect(readDocumentIds(await host.poll())).toEqual([third]);
		expect(log).toEqual([]);
	});

	it('gives the other events', async () => {
		const host = open({ parameters: { events: ['*'] } });
		await host.poll();
		const { id } = await run({
			resource: 'dossier',
			operation: 'create',
			title: 'New',
			additionalFields: {},
		});
		const created = id as string;
		const document = await upload('invoice', created);
		await service.create('/portal/invite', {
			email: `${profile}@example.com`,
			first_name: 'A',
			last_name: 'B',
			dossier_ids: [created],
		});
		await run({ resource: 'document', operation: 'delete', documentId: byId(document) });
		const items = await host.poll();
		expect(items.map(({ json }) => json.event)).toEqual([
			'dossier.created',
			'document.uploaded',
			'portal.user_invited',
			'document.deleted',
		]);
		expect(readData(items)).toMatchObject([
			{ dossier_id: created, title: 'New' },
			// Deleted before the poll could read it.
			{ document_id: document, dossier_id: null, category: null },
			{ portal_user_id: expect.any(String) },
			{ document_id: document },
		]);
	});

	it('keeps to the filters', async () => {
		const host = open({
			parameters: { filters: { dossiers: [dossier], categories: 'Contract; "Tax"' } },
		});
		await host.poll();
		const { id: other } = await service.create('/dossiers', { title: 'Other' });
		await upload('tax', other as string);
		await upload('invoice');
		const wanted = await upload('tax');
		expect(readDocumentIds(await host.poll())).toEqual([wanted]);
	});

	it('refuses its first poll if no event can pass its filters', async () => {
		const parameters = { events: ['portal.user_accessed'], filters: { dossiers: [dossier] } };
		await expect(open({ parameters }).poll()).rejects.toThrow(
			"No event would pass the filter 'Dossier Names or IDs'",
		);
	});

	it.each([
		[{ filters: { dossiers: ['2026-001'] } }, /'Dossier Names or IDs': no record with the ID/],
		[
			{ watch: 'records', record: 'task', recordFilters: { dossierId: byId('2026-001') } },
			/'Dossier': no record with the ID "2026-001"/,
		],
		[{ events: ['any'] }, /The field 'Events' has no choice "any"/],
	] as Array<[INodeParameters, RegExp]>)(
		'names the filter whose value does not exist: %j',
		async (parameters, message) => {
			await expect(open({ parameters }).poll()).rejects.toThrow(message);
		},
	);

	it.each([
		[{ filters: { categories: FAILING } }, 'Categories'],
		[{ watch: FAILING }, 'Watch'],
		[{ watch: 'records', record: 'task', recordFilters: { priority: FAILING } }, 'Priority'],
	])('names the field whose expression fails: %j', async (parameters, field) => {
		const message = `The expression in '${field}' cannot be computed: `;
		await expect(open({ parameters }).poll()).rejects.toThrow(message);
	});

	it('adds the file and the details in the run', async () => {
		const host = open({ parameters: { download: true, options: { addDetails: true } } });
		await host.poll();
		const document = await upload();
		const [item] = await host.poll();
		expect(item?.json.details).toMatchObject({
			dossier: { id: dossier },
			document: { id: document },
		});
		expect(await readBinary(item?.binary?.data)).toEqual(Buffer.from('%PDF'));
	});

	it('loses nothing if n8n is killed before it has stored the run', async () => {
		const host = open();
		await host.poll();
		const ids = [await upload()];
		expect(readDocumentIds(await host.poll())).toEqual(ids);
		const lost = await upload();
		await host.pollAndDie();
		await host.restart();
		expect(readDocumentIds(await host.poll())).toEqual([lost]);
	});

	it('gives nothing from before its first poll if n8n is killed between storing a run and starting it', async () => {
		const old = await upload();
		const host = open();
		await host.poll();
		const first = await upload();
		expect(readDocumentIds(await host.poll())).toEqual([first]);
		const second = await upload();
		await host.pollAndDieBeforeRun();
		expect(readDocumentIds(await host.restart())).toEqual([second]);
		await host.restart();
		const third = await upload();
		const given = readDocumentIds(await host.poll());
		expect(given).not.toContain(old);
		expect(given).not.toContain(first);
		expect(given).toContain(third);
	});

	it('shows the newest event that passes its filters in a manual execution, and keeps its position', async () => {
		const host = open({ parameters: { filters: { categories: 'tax' } } });
		await host.poll();
		const stored = host.stored();
		const shown = await upload('tax');
		await upload('invoice');
		for (const _ of [1, 2]) expect(readDocumentIds(await host.executeStep())).toEqual([shown]);
		expect(host.stored()).toBe(stored);
		expect(readDocumentIds(await host.poll())).toEqual([shown]);
	});

	it('in a manual execution, shows an event whose document still exists rather than a newer one', async () => {
		const host = open({ parameters: { filters: { categories: 'power_of_attorney' } } });
		const shown = await upload('power_of_attorney');
		const documentId = byId(await upload('power_of_attorney'));
		await run({ resource: 'document', operation: 'delete', documentId });
		expect(readDocumentIds(await host.executeStep())).toEqual([shown]);
	});

	it('reads a backlog in several polls if one has no budget for all of it', async () => {
		const host = open({ budget: 0 });
		await host.poll();
		const ids: unknown[] = [];
		for (let n = 0; n < 25; n++) ids.push(await upload());
		const found: unknown[] = [];
		let polls = 0;
		// The number of polls depends on what earlier tests left in the log.
		for (; found.length < ids.length && polls < 10; polls++) {
			found.push(...readDocumentIds(await host.poll()));
		}
		// A service that lists backwards gives the newest part first.
		expect(found.toSorted()).toEqual(ids.toSorted());
		expect(polls).toBeGreaterThan(1);
	});
});

describe('The poll trigger', () => {
	const service = useService();

	it('announces a task a day before it is due, once, by the time of the service', async () => {
		const host = openPolling({
			credential: service.credential,
			parameters: { events: ['task.due_soon'] },
		});
		const { id: dossier } = await service.create('/dossiers', { title: 'Due' });
		const due = new Date(Date.now() + 25 * HOUR).toISOString();
		const { id } = await service.create('/tasks', { title: 'T', dossier_id: dossier, due_at: due });
		expect(await host.poll()).toEqual([]);
		await service.sandbox.clock.move(2 * HOUR);
		const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 11 * 60_000);
		try {
			const items = await host.poll();
			expect(readData(items)).toEqual([
				{ task_id: id, dossier_id: dossier, due_at: due, assignee_id: null },
			]);
			expect(await host.poll()).toEqual([]);
		} finally {
			clock.mockRestore();
		}
		await host.restart();
		expect(await host.poll()).toEqual([]);
	});

	it('gives each event once to each of two triggers in a workflow, and repeats at most its last batch after a restart', async () => {
		const events = { events: ['dossier.created'] };
		const hosts = openPollings({ credential: service.credential }, [events, events]);
		const poll = async () => {
			const both = await Promise.all(hosts.map(async (host) => await host.poll()));
			return both.map((items) => readData(items).map(({ dossier_id: id }) => id));
		};
		const create = async () => (await service.create('/dossiers', { title: 'Both' })).id;
		expect(await poll()).toEqual([[], []]);
		let last: unknown;
		for (let n = 0; n < 3; n++) {
			last = await create();
			expect(await poll()).toEqual([[last], [last]]);
			expect(await poll()).toEqual([[], []]);
		}
		await hosts[0]?.restart();
		const next = await create();
		for (const given of await poll()) {
			expect(given.filter((id) => id !== last)).toEqual([next]);
		}
		expect(await poll()).toEqual([[], []]);
	});

	it('fails with an error of the node if the key is wrong, and goes on once it is right', async () => {
		const credential = { ...service.credential };
		const host = openPolling({ credential, parameters: { events: ['dossier.created'] } });
		await host.poll();
		const { id } = await service.create('/dossiers', { title: 'Later' });
		credential.apiKey = 'sk_test_wrong';
		await expect(host.poll()).rejects.toThrow(/API key/);
		credential.apiKey = service.credential.apiKey ?? '';
		expect(readData(await host.poll())).toMatchObject([{ dossier_id: id }]);
	});

	it.each([
		{ events: ['dossier.created'] },
		{ watch: 'records', record: 'dossier', recordFilters: {} },
	])(
		'begins anew if its credential changes from test to live data, and says so: %j',
		async (parameters) => {
			const { liveKey } = service.organization;
			const create = async (title: string, key?: string) =>
				await service.create('/dossiers', { title }, key);
			const pollTitles = async () => (await host.poll()).map(({ json }) => json.title ?? json.data);
			const credential = { ...service.credential };
			const host = openPolling({ credential, parameters });
			await pollTitles();
			await create('Test');
			expect(await pollTitles()).toHaveLength(1);
			for (const title of ['Old', 'Older']) await create(title, liveKey);
			credential.apiKey = liveKey;
			expect(await pollTitles()).toEqual([]);
			expect(log).toEqual([
				expect.stringMatching(/begins anew at .*\(live data\), .* from now on$/),
			]);
			await create('Live', liveKey);
			await create('Test again');
			expect(await pollTitles()).toEqual([expect.anything()]);
			expect(await pollTitles()).toEqual([]);
			await host.restart();
			expect(await pollTitles()).toEqual([]);
			expect(log).toHaveLength(1);
		},
	);

	it('sends one request if nothing is new', async () => {
		const host = openPolling({ credential: service.credential });
		await host.poll();
		await host.poll();
		const { journal } = service.sandbox;
		await journal.clear();
		await host.poll();
		expect(await journal.list()).toMatchObject([{ operation: 'audit.list' }]);
	});

	it('goes on after a week in which the workflow was not active', async () => {
		const host = openPolling({
			credential: service.credential,
			parameters: { events: ['dossier.created'] },
		});
		const create = async (title: string) => (await service.create('/dossiers', { title })).id;
		await host.poll();
		const given = await create('Given');
		expect(readData(await host.poll())).toMatchObject([{ dossier_id: given }]);
		const early = await create('Early in the week');
		await service.sandbox.clock.move(7 * 24 * HOUR);
		const late = await create('Late in the week');
		await host.restart();
		const missed = [early, late].map((id) => expect.objectContaining({ dossier_id: id }));
		expect(readData(await host.poll())).toEqual(missed);
		expect(await host.poll()).toEqual([]);
	});
});
