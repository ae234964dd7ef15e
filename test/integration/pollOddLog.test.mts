/** The poll trigger and a badly kept audit log: no event is skipped, and none runs twice. */
import type { ICredentialDataDecryptedObject, IDataObject, INodeParameters } from 'n8n-workflow';
import { useLog } from './n8n.mts';
import { openPolling } from './pollHost.mts';
import type { PollHost } from './pollHost.mts';
import { answerJson, shortenPauses, useFakes } from './fakeService.mts';
import type { FakeService } from './fakeService.mts';

shortenPauses();

const warnings = useLog();

interface Kept {
	entries: IDataObject[];
	/** The status of an answer about a record that is not there. */
	missing: number;
	/** The time of the service's clock; that of this machine if it is absent. */
	now?: string;
	host: PollHost;
	/** Another trigger, with further parameters. */
	open: (parameters: INodeParameters, limit?: ICredentialDataDecryptedObject) => PollHost;
	requests: FakeService['requests'];
}

const fake = useFakes();

/** Opens a trigger at a service without tasks. Its audit log comes in the order of its entries, and cannot be filtered. */
async function openLog(): Promise<Kept> {
	const state: Omit<Kept, 'host' | 'open' | 'requests'> = { entries: [], missing: 404 };
	const { credential, requests } = await fake((request, response, { query }) => {
		const { pathname } = new URL(request.url ?? '', 'http://service');
		const isLog = pathname === '/v1/audit-log';
		const isFound = isLog || pathname === '/v1/tasks';
		const page = Number(query.get('page') ?? 1);
		if (state.now) response.setHeader('Date', new Date(state.now).toUTCString());
		const refusal = { code: 'DOCUMENT_NOT_FOUND', message: 'Gone', status: state.missing };
		const body = isFound
			? { data: isLog ? state.entries.slice(page * 3 - 3, page * 3) : [] }
			: { error: refusal };
		answerJson(response, isFound ? 200 : state.missing, body);
	});
	const open = (parameters: INodeParameters, limit: ICredentialDataDecryptedObject = {}) =>
		openPolling({
			credential: { ...credential, ...limit },
			parameters: { events: ['*'], ...parameters },
		});
	return Object.assign(state, { host: open({}), open, requests });
}

// Far from the clock of this machine, which no poll may rely on
const at = (minute: number) => new Date(Date.UTC(2031, 0, 1, 0, minute)).toISOString();
const created = (name: string, created_at?: string, id?: string): IDataObject => ({
	...(id && { id }),
	...(created_at && { created_at }),
	action: 'dossier.created',
	target: { type: 'dossier', id: name },
});
const uploaded = (document: string, minute: number): IDataObject => ({
	id: `upload of ${document}`,
	created_at: at(minute),
	action: 'document.uploaded',
	target: { id: document },
});

async function poll({ host }: Kept): Promise<unknown[]> {
	const items = await host.poll();
	return items.map(({ json }) => {
		const data = json.data as IDataObject;
		return data.dossier_id ?? data.document_id;
	});
}

it('Entries without id or time, or with an odd id, run once', async () => {
	const kept = await openLog();
	kept.entries = [created('old', at(0)), created('older')];
	expect(await poll(kept)).toEqual([]);
	kept.entries.push(
		created('no id', at(1)),
		created('no time', undefined, 'aud_1'),
		created('bare'),
		// Every object in JavaScript has something of these names.
		created('odd id', at(1), 'toString'),
		created('odder id', at(1), '__proto__'),
	);
	expect((await poll(kept)).sort()).toEqual(['bare', 'no id', 'no time', 'odd id', 'odder id']);
	for (const minute of [2, 30, 90]) {
		kept.entries.push(created(`later ${minute}`, at(minute)));
		expect(await poll(kept)).toEqual([`later ${minute}`]);
	}
	await kept.host.restart();
	expect(await poll(kept)).toEqual([]);
});

it('Times without a zone are in UTC, even if summer time begins on this machine', async () => {
	const { parse } = Date;
	const summer = parse('2031-03-30T01:00Z');
	// As in Berlin, whatever the timezone of the tests
	const parsing = jest.spyOn(Date, 'parse').mockImplementation((text) => {
		if (!/T[\d:.]+$/.test(text)) return parse(text);
		const utc = parse(`${text}Z`);
		return utc - (utc < summer ? 1 : 2) * 3_600_000;
	});
	const kept = await openLog();
	/** Polls at a time, after something was created a minute before or not. */
	const pollAt = async (now: string, name?: string) => {
		kept.now = now;
		const time = new Date(parse(now) - 60_000).toISOString().slice(0, -1);
		if (name) kept.entries.push(created(name, time, name));
		return await poll(kept);
	};
	expect(await pollAt('2031-03-29T12:00:00Z', 'old')).toEqual([]);
	expect(await pollAt('2031-03-29T12:05:00Z', 'in winter')).toEqual(['in winter']);
	expect(await pollAt('2031-03-30T12:00:00Z')).toEqual([]);
	expect(await pollAt('2031-03-30T12:01:00Z')).toEqual([]);
	expect(await pollAt('2031-03-30T12:02:00Z', 'in summer')).toEqual(['in summer']);
	parsing.mockRestore();
});

it.each([403, 500])(
	'An upload whose document is always answered with %i is reported once, comes with nulls after ten polls, and later events follow',
	async (status) => {
		const kept = await openLog();
		await poll(kept);
		kept.entries = [uploaded(`doc_${status}`, 1), created('next', at(2))];
		kept.missing = status;
		for (let n = 0; n < 10; n++) expect(await kept.host.poll()).toEqual([]);
		expect(kept.host.reported).toEqual([expect.objectContaining({ httpCode: String(status) })]);
		const [item, next] = await kept.host.poll();
		expect(item?.json.data).toMatchObject({ dossier_id: null, category: null });
		expect(next?.json.data).toMatchObject({ dossier_id: 'next' });
		expect(await poll(kept)).toEqual([]);
		const line = expect.stringContaining(`reports the upload of doc_${status} without`);
		expect(warnings.filter((one) => one.includes('doc_'))).toEqual([line]);
	},
);

it('New documents of all dossiers come with what the audit log tells of one that cannot be read, and without one that is gone', async () => {
	const kept = await openLog();
	const parameters = { watch: 'records', record: 'document', searchIn: 'all', recordFilters: {} };
	const host = kept.open(parameters);
	await host.poll();
	kept.entries = [uploaded('doc_gone', 1), created('other', at(2), 'aud_2')];
	expect(await host.poll()).toEqual([]);
	kept.missing = 403;
	kept.entries.push(uploaded('doc_kept', 3));
	for (let n = 0; n < 10; n++) expect(await host.poll()).toEqual([]);
	expect(host.reported).toEqual([expect.objectContaining({ httpCode: '403' })]);
	expect(await host.poll()).toMatchObject([{ json: { id: 'doc_kept', created_at: at(3) } }]);
	expect(await host.poll()).toEqual([]);
});

it('Uploads whose documents cannot be read wait for the same ten polls, also if the first one is shown late', async () => {
	const kept = await openLog();
	await poll(kept);
	kept.missing = 403;
	const [late, ...uploads] = [1, 2, 3].map((minute) => uploaded(`doc_${minute}`, minute));
	kept.entries = [...uploads, created('next', at(4), 'aud_4')];
	for (let n = 0; n < 5; n++) expect(await kept.host.poll()).toEqual([]);
	kept.entries.unshift({ ...late });
	for (let n = 0; n < 10; n++) expect(await kept.host.poll()).toEqual([]);
	const items = (await kept.host.poll()).map(({ json }) => json);
	expect(items.map(({ delivery }) => delivery)).toMatchObject(
		kept.entries.map(({ id }) => ({ id })),
	);
	expect(items.slice(0, 3)).toMatchObject(
		[1, 2, 3].map(() => ({ data: { dossier_id: null, category: null } })),
	);
	expect(kept.host.reported).toHaveLength(3);
	expect(await kept.host.poll()).toEqual([]);
});

it('Repeated requests count for its half of the limit', async () => {
	const kept = await openLog();
	const limit = { rateLimit: 'custom', requestsPerMinute: 0, requestsPerHour: 60 };
	const host = kept.open({ events: ['document.uploaded'] }, { moreSettings: true, ...limit });
	await host.poll();
	kept.missing = 500;
	kept.entries = [1, 2, 3].map((minute) => uploaded(`doc_${minute}`, minute));
	for (let n = 0; n < 8; n++) expect(await host.poll()).toEqual([]);
	const { length: reads } = kept.requests.filter(({ path }) => path.startsWith('/v1/documents/'));
	const { length: polls } = kept.requests.filter(({ path }) => path.startsWith('/v1/audit-log'));
	expect(reads).toBeGreaterThan(3 * polls);
	expect(kept.requests.length).toBeLessThanOrEqual(30);
});

it('The event of a dossier that is gone comes once, and its details name the error', async () => {
	const kept = await openLog();
	const host = kept.open({ options: { addDetails: true } });
	await host.poll();
	kept.entries = [created('dos_gone', at(1), 'aud_1'), created('dos_too', at(2), 'aud_2')];
	const items = (await host.poll()).map(({ json }) => json);
	expect(items).toMatchObject(
		['dos_gone', 'dos_too'].map((id) => ({
			event: 'dossier.created',
			data: { dossier_id: id },
			details: {},
			details_error: { dossier: { status: 404 } },
		})),
	);
	expect(await host.poll()).toEqual([]);
});

it('An action that names no kind of record takes that of its target', async () => {
	const kept = await openLog();
	await poll(kept);
	const targets = ['dossier', 'task'].map((type) => ({ type, id: `a ${type}` }));
	for (const target of targets)
		kept.entries.push({ id: target.id, created_at: at(1), action: 'CREATE', target });
	expect(await poll(kept)).toEqual(['a dossier']);
	expect(warnings).toEqual([]);
});

it('An unknown action is logged once, and an action that is not an event is not logged', async () => {
	const kept = await openLog();
	await poll(kept);
	const actions = [
		'dossier.updated',
		'dossier.renamed',
		undefined,
		'document.downloaded',
		'document.upload_failed',
		'portal.user_signed_out',
	];
	for (const minute of [1, 2]) {
		kept.entries.push(
			...actions.map((action, n) => ({ id: `${minute} ${n}`, created_at: at(minute), action })),
		);
		expect(await poll(kept)).toEqual([]);
	}
	expect(warnings).toEqual([
		expect.stringMatching(
			/^Dossier Poll Trigger "Poll" .* found "dossier.renamed" in the audit log/,
		),
		expect.stringMatching(/found an entry of the audit log without an action/),
		expect.stringMatching(/found "document.upload_failed"/),
		expect.stringMatching(/found "portal.user_signed_out"/),
	]);
});

it('Actions are recognized in any spelling', async () => {
	const kept = await openLog();
	await poll(kept);
	const actions = {
		'dossier.created': 'DOSSIER_CREATED',
		'document.deleted': 'documentDeleted',
		'portal.user_invited': 'portal-user:invited',
		'portal.user_accessed': 'portal.user_signed_in',
	};
	kept.entries = Object.values(actions).map((action, n) => ({
		id: `aud_${n}`,
		created_at: at(n),
		action,
		target: { id: 'x' },
	}));
	const items = await kept.host.poll();
	expect(items.map(({ json }) => json.event)).toEqual(Object.keys(actions));
});
