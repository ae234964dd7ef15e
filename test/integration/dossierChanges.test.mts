/** Changes of dossiers at services that do not do what they accept, show no dossier, or want to be told its version. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { answering, answerJson, readJson } from './fakeService.mts';
import type { Handler } from './fakeService.mts';
import { usePlainService } from './plainService.mts';
import { byId } from './service.mts';

const { service, run, count } = usePlainService();

beforeEach(() => {
	service.dossiers.set('dos_1', { id: 'dos_1', title: 'Old', description: 'Long text' });
});

const dossier = (operation: string, parameters: INodeParameters): INodeParameters => ({
	resource: 'dossier',
	operation,
	...parameters,
});

const update = (fields: INodeParameters) => dossier('update', { dossierId: byId('dos_1'), fields });

const stored = () => service.dossiers.get('dos_1') ?? {};

describe('A change that the service accepts', () => {
	const change = update({ description: 'New' });

	it.each([
		['shown with its old value', 'Long text'],
		['not shown at all', undefined],
	])('fails with the name of a field that is afterwards %s', async (_, before) => {
		service.dossiers.set('dos_1', { ...stored(), description: before });
		service.habits.ignoredFields = ['description'];
		const { error } = await run(change);
		expect(error).toMatchObject({
			message: expect.stringMatching(/dos_1, but still shows the old value of description/),
			description: expect.stringContaining('Check Contract'),
		});
		expect(stored().description).toBe(before);
	});

	it.each([
		['more words', 'Long text, and more'],
		['fewer words', 'Long'],
	])(
		'fails if it is ignored, also if the new text is the old one with %s',
		async (_, description) => {
			service.habits.ignoredFields = ['description'];
			const { error } = await run(update({ description }));
			expect(error?.message).toContain('still shows the old value of description');
		},
	);

	it('is done if the service shows it as a record, or under another name', async () => {
		const bodies: IDataObject[] = [];
		const show: Handler = async (request, response) => {
			const body = await readJson(request);
			if (request.method === 'PUT') bodies.push(body);
			const { status = 'open', assignee_id: id, description: note } = bodies[0] ?? {};
			const shown = { id: 'dos_1', title: 'Old', status: { key: status }, owner: { id }, note };
			answerJson(response, 200, shown);
		};
		for (const method of ['GET', 'PUT']) service.handlers[`${method} /v1/dossiers/{id}`] = show;
		const fields = { status: 'closed', assigneeId: 'usr_7', description: 'New' };
		const { error } = await run(update(fields));
		expect(bodies).toEqual([expect.objectContaining({ assignee_id: 'usr_7', status: 'closed' })]);
		expect(error).toBeUndefined();
	});

	it('is done if the service shows it only when it is read again', async () => {
		service.habits.isLate = true;
		const { error } = await run(change);
		expect(error).toBeUndefined();
		expect(stored().description).toBe('New');
	});

	it.each([
		[{ result: 'nope' }, 'still shows the old value of description'],
		[{ id: 'dos_9', title: 'Of another' }, 'still shows the old value of description'],
		[[], 'still shows the old value of description'],
		[{ ok: false, message: 'Not today' }, 'Not today'],
		[{ status: 'error', message: 'Not today' }, 'Not today'],
		[{ success: 'false', message: 'Not today' }, 'Not today'],
	])('is not believed if the answer is %j', async (answer, message) => {
		service.handlers['PUT /v1/dossiers/{id}'] = (_, response) => answerJson(response, 200, answer);
		const { error } = await run(change);
		expect(error?.message).toContain(message);
	});

	it('is read again if the answer is something else than the dossier', async () => {
		const put = service.handlers['PUT /v1/dossiers/{id}'] as Handler;
		service.handlers['PUT /v1/dossiers/{id}'] = async (request, response, asked) => {
			const end = response.end.bind(response);
			response.end = () => end('{"result": "done"}');
			await put(request, response, asked);
		};
		const { items } = await run(change);
		expect(items[0]?.json).toEqual({ id: 'dos_1', title: 'Old', description: 'New' });
	});

	it.each([
		['entities', 'Smith & Sons', (text: string) => text.replace('&', '&amp;')],
		['other spaces and case', ' SMITH  and Sons', (text: string) => text.trim().toLowerCase()],
		['fewer letters', 'Smith and Sons, solicitors in London', (text: string) => text.slice(0, 26)],
		['a word before it', '2026-0042', (text: string) => `No. ${text.replace('No. ', '')}`],
	])('may be stored with %s, again and again', async (_, description, storeText) => {
		service.habits.storeText = storeText;
		for (let time = 0; time < 3; time++) {
			expect((await run(update({ description }))).error).toBeUndefined();
			expect(stored().description).toBe(storeText(description));
		}
	});

	it.each([
		['Create', dossier('create', { title: 'A', fields: { description: 'New' } })],
		[
			'Create or Update',
			dossier('upsert', { reference: 'R1', title: 'Old', fields: { description: 'New' } }),
		],
	])('is hinted at if %s makes a dossier that lacks a text', async (_, parameters) => {
		service.dossiers.clear();
		const isKnown = await run(parameters);
		service.dossiers.clear();
		service.habits.ignoredFields = ['description'];
		const isIgnored = await run(parameters);
		expect([isKnown.hints, isIgnored.hints]).toEqual([
			[],
			[expect.stringContaining('does not show every field that was sent')],
		]);
	});
});

describe('Reading that gives no dossier', () => {
	it.each(['', '{}', '{"ok": true}'])('fails the update and writes nothing: %j', async (answer) => {
		const type = { 'Content-Type': 'application/json' };
		service.handlers['GET /v1/dossiers/{id}'] = answering(200, answer, type);
		const { error } = await run(update({ title: 'New' }));
		expect(error?.message).toContain('something that is not this API');
		expect(count('PUT')).toBe(0);
		expect(stored()).toMatchObject({ title: 'Old' });
	});
});

describe('A dossier with a version', () => {
	let version = 1;
	/** Whether a request has to name a version, how one with another version is refused, and what is shown as the version. */
	let demands = true;
	let refused = 412;
	let shownTag: string | undefined;
	/** The change of another program, right after the node has read the dossier. */
	let meanwhile: (() => void) | undefined;

	const guard =
		(next: Handler): Handler =>
		(request, response, asked) => {
			const { 'if-match': named } = request.headers;
			if (!named && demands)
				return answerJson(response, 428, { error: { message: 'If-Match is required' } });
			if (named && named !== `"${version}"`)
				return answerJson(response, refused, { error: { message: 'It has another version' } });
			version++;
			return next(request, response, asked);
		};

	beforeEach(() => {
		version = 1;
		demands = true;
		refused = 412;
		shownTag = undefined;
		meanwhile = undefined;
		service.handlers['GET /v1/dossiers/{id}'] = (_, response) => {
			response.setHeader('ETag', shownTag ?? `"${version}"`);
			answerJson(response, 200, stored());
			const change = meanwhile;
			meanwhile = undefined;
			change?.();
		};
		for (const name of ['PUT /v1/dossiers/{id}', 'DELETE /v1/dossiers/{id}'])
			service.handlers[name] = guard(service.handlers[name] as Handler);
	});

	it('gets the version that was read, for each change', async () => {
		const items = [{ json: { title: 'New' } }, { json: { title: 'Newer' } }];
		const { error } = await run(update({ title: '={{ $json.title }}' }), { items });
		expect(error).toBeUndefined();
		expect(stored()).toMatchObject({ title: 'Newer', description: 'Long text' });
		const deletion = await run(dossier('delete', { dossierId: byId('dos_1') }));
		expect(deletion.error).toBeUndefined();
		expect(stored()).toEqual({});
		expect(version).toBe(4);
	});

	const changeBetween = () => {
		version++;
		service.dossiers.set('dos_1', { ...stored(), title: `Of another ${version}` });
	};

	it.each([true, false])('keeps what somebody else changes (demanded: %s)', async (isDemanded) => {
		demands = isDemanded;
		meanwhile = changeBetween;
		const { error } = await run(update({ description: 'New' }));
		expect(error).toBeUndefined();
		expect(stored()).toMatchObject({ title: 'Of another 2', description: 'New' });
		expect(count('PUT')).toBe(2);
	});

	it('gives up if somebody else changes it each time', async () => {
		meanwhile = function again() {
			changeBetween();
			queueMicrotask(() => (meanwhile = again));
		};
		const { error } = await run(update({ description: 'New' }));
		expect(error?.description).toContain('Someone has changed it since it was read');
		expect(stored()).toMatchObject({ description: 'Long text' });
	});

	it.each([409, 412])('is changed by a request whose answer is lost; then: %s', async (status) => {
		demands = false;
		refused = status;
		const put = service.handlers['PUT /v1/dossiers/{id}'] as Handler;
		let isLost = false;
		service.handlers['PUT /v1/dossiers/{id}'] = async (request, response, asked) => {
			const end = response.end.bind(response);
			response.end = () => (isLost ? end() : response.destroy());
			await put(request, response, asked);
			isLost = true;
		};
		const { items, error } = await run(update({ description: 'New' }));
		expect(error).toBeUndefined();
		expect(items[0]?.json.description).toBe('New');
		expect(version).toBe(2);
	});

	it.each(['"never the same"', 'W/"1"'])('is changed if its ETag is %s', async (tag) => {
		demands = false;
		shownTag = tag;
		const { error } = await run(update({ description: 'New' }));
		expect(error).toBeUndefined();
		expect(stored()).toMatchObject({ title: 'Old', description: 'New' });
	});
});
