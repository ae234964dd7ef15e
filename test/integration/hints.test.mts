/** The hints above the output: they say what happened in a run and cannot be seen in its output. */
import type { INodeParameters } from 'n8n-workflow';
import { describeRun } from '../../nodes/Dossier/execution/hints';
import type { Input } from './n8n.mts';
import { carry, runOn, speaking, uploadTo } from './requests.mts';
import type { Request } from './requests.mts';
import { answering, answerJson, useFakes } from './fakeService.mts';
import { byId, PROFILES, startService, useService } from './service.mts';
import { useMany } from './started.mts';

const service = useService();
const fake = useFakes();
const start = useMany(startService);

const run = async (...request: Request) => await runOn(service, ...request);

/** Where the credential of the sandbox leads to. */
const place = () => `in organization ${service.organization.id} (test data)`;

const uploaded = (count: number) => `Files uploaded: ${count}, ${place()}`;

it('files that the dossier has already are counted', async () => {
	const { id } = await service.create('/dossiers', { title: 'Has them' });
	const items = ['a.txt', 'b.txt', 'c.txt'].map((name) => carry(name));
	const parameters = uploadTo(id as string, { ifExists: 'skip' });
	expect((await run(parameters, { items: items.slice(0, 2) })).hints).toEqual([uploaded(2)]);
	const again = await run(parameters, { items });
	expect(again.items.map(({ json }) => json.skipped ?? false)).toEqual([true, true, false]);
	expect(again.hints).toEqual([
		uploaded(1),
		'Files skipped: 2, because the dossier has them already',
	]);
});

it.each<[string, INodeParameters, string]>([
	['category', { category: 'tax' }, '; 2 of them with another category than in the form'],
	['title', { options: { title: 'New' } }, '; 2 of them with another title than in the form'],
	['title in other letters', { options: { title: 'The FILE' } }, ''],
])('skipped files that keep another %s are counted', async (_, changed, rest) => {
	const { id } = await service.create('/dossiers', { title: 'Keeps fields' });
	const items = ['a.txt', 'b.txt'].map((name) => carry(name));
	const given = { ifExists: 'skip', options: { title: 'the file' } };
	await run(uploadTo(id as string, given), { items });
	const { hints } = await run(uploadTo(id as string, { ...given, ...changed }), { items });
	expect(hints).toEqual([
		`Files skipped: 2, because the dossier has them already${rest && `${rest}, which stays`}`,
	]);
});

describe('A category that an expression gives', () => {
	const upload = async (category: INodeParameters, dialect = {}) => {
		const { id } = await service.create('/dossiers', { title: 'Gets a category' });
		const items = ['a.txt', 'b.txt'].map((name) => carry(name));
		const credential = { ...service.credential, ...speaking(dialect) };
		return await run(uploadTo(id as string, category), { items, credential });
	};

	it('is named in a hint if the form does not list it', async () => {
		const { hints } = await upload({ category: '={{ "invoce" }}' });
		expect(hints).toEqual([
			uploaded(2),
			`Category not in the list: "invoce" for 2 files. Check the spelling. If it is meant, choose 'Your Own…'.`,
		]);
	});

	it.each<[string, INodeParameters, object]>([
		['it is listed', { category: '={{ "tax" }}' }, {}],
		['it is entered as an own one', { category: 'OWN', ownCategory: 'invoce' }, {}],
		[
			'the dialect lists it',
			{ category: 'bill' },
			{ document: { values: { category: { bill: 'note' } } } },
		],
	])('is not named if %s', async (_, category, dialect) => {
		expect(await upload(category, dialect)).toMatchObject({
			hints: [uploaded(2)],
			items: [{}, {}],
		});
	});
});

describe('The organization, and whether its data is live or test data, is named by a run that', () => {
	const live = () => ({ ...service.credential, apiKey: service.organization.liveKey });
	const exportAs = (format: string): INodeParameters => ({
		resource: 'auditLog',
		operation: 'export',
		exportAs: format,
		from: '2099-01-01',
	});
	const list: INodeParameters = { resource: 'dossier', operation: 'getAll', returnAll: true };

	it('deletes', async () => {
		const { id } = await service.create('/dossiers', { title: 'Goes' });
		const { hints } = await run({
			resource: 'dossier',
			operation: 'delete',
			dossierId: byId(id),
			deleteLimit: 1,
		});
		expect(hints).toEqual([`Records deleted: 1, ${place()}`]);
	});

	it.each(['csv', 'items'])('exports an empty audit log as %s', async (format) => {
		const { hints } = await run(exportAs(format), { credential: live() });
		expect(hints[0]).toBe(`Exported from organization ${service.organization.id} (live data)`);
	});

	it('finds nothing', async () => {
		const { hints } = await run(list, { credential: live() });
		expect(hints).toEqual([
			`Nothing was found in organization ${service.organization.id} (live data)`,
		]);
	});

	it('finds nothing with a key that does not say which data it reaches', async () => {
		const { credential } = await fake(answering(200, '{"data": []}'));
		const of = async (more: object) =>
			(await run(list, { credential: { ...credential, apiKey: 'key', ...more } })).hints;
		const nothing = 'Nothing was found in organization org';
		expect(await of({})).toEqual([nothing]);
		const sandbox = { environment: 'sandbox', sandboxUrl: credential.baseUrl };
		expect(await of(sandbox)).toEqual([`${nothing} (test data)`]);
	});
});

it('a file that the input has twice is counted apart from those that the dossier had', async () => {
	const { id } = await service.create('/dossiers', { title: 'Gets one twice' });
	const items = ['a.txt', 'a.txt', 'b.txt'].map((name) => carry(name));
	const { hints } = await run(uploadTo(id as string, { ifExists: 'skip' }), { items });
	expect(hints).toEqual([
		uploaded(2),
		'Files skipped: 1, because the input has them more than once',
	]);
});

it('the first three reasons why a real run would be refused are listed', () => {
	const planned = (...reasons: string[]) =>
		describeRun(
			new Map([
				['planned uploaded', 2],
				['planned dossier', 1],
				...reasons.map((reason) => [`refused: ${reason}`, 1] as const),
			]),
			'organization org_1',
		)[0]?.message;
	expect(planned('a', 'b', 'c', 'd')).toBe(
		'Dry run in organization org_1, nothing was written. A real run would be refused: a; b; c; …. The plan: 2 uploaded; dossiers created: 1',
	);
	expect(planned()).not.toContain('refused');
});

it('items that fail are counted if the run goes on', async () => {
	const { id } = await service.create('/dossiers', { title: 'One file fails' });
	const items = [carry('a.txt'), { json: {} }, { json: {} }];
	const settings = { onError: 'continueRegularOutput' } as const;
	const parameters = uploadTo(id as string, { ifExists: 'skip' });
	const { hints, items: outputs } = await run(parameters, { items, ...settings });
	expect(outputs.map(({ json }) => 'error' in json)).toEqual([false, true, true]);
	expect(hints).toEqual(['Failed items: 2. Their field error says why', uploaded(1)]);
});

it('dossiers that an upload creates are counted', async () => {
	const items = ['a.txt', 'b.txt'].map((name) => carry(name));
	const dossierId = { __rl: true, mode: 'reference', value: 'new in a hint' };
	const parameters = { ...uploadTo('', { ifExists: 'skip' }), dossierId, ifMissing: 'create' };
	const { hints } = await run(parameters, { items });
	expect(hints).toEqual([
		`Dossiers created: 1 (none had the reference), files uploaded: 2, ${place()}`,
	]);
	expect((await run(parameters, { items })).hints).toEqual([
		'Files skipped: 2, because the dossier has them already',
	]);
});

describe('A filter with a word that is not in its list', () => {
	const list = async (resource: string, filters: INodeParameters) => {
		const { credential } = await fake(answering(200, '{"data": []}'));
		const dossierId = byId('dos_1');
		const parameters = { resource, operation: 'getAll', returnAll: true, dossierId, filters };
		const { items, hints, error } = await run(parameters, { credential });
		return { found: items.length, hints, error };
	};
	const nothing = 'Nothing was found in organization org (test data)';
	const hint = expect.stringMatching(
		/'Category', 'Priority' or 'Status'.*written exactly as the service/,
	);

	it.each<[string, INodeParameters]>([
		['document', { category: 'OWN', ownCategory: 'pasport' }],
		['document', { category: '={{ "pasport" }}' }],
		['dossier', { status: 'OWN', ownStatus: 'on_hold' }],
		['task', { status: 'OWN', ownStatus: 'on_hold' }],
	])('is named in a hint if it finds no %s', async (resource, filters) => {
		expect(await list(resource, filters)).toEqual({ found: 0, hints: [nothing, hint] });
	});

	it.each<[string, INodeParameters]>([
		['a word of the list', { category: 'tax' }],
		['an own word that the list has', { category: 'OWN', ownCategory: 'tax' }],
		['the label of a word', { category: '={{ "Identity Document" }}' }],
	])('is not named for %s', async (_, filters) => {
		expect(await list('document', filters)).toEqual({ found: 0, hints: [nothing] });
	});
});

it.each(PROFILES)(
	'a hint says that a list goes on after its limit, under the profile %s',
	async (profile) => {
		const own = await start({ profile });
		for (let n = 0; n < 5; n++) await own.create('/dossiers', { title: `Dossier ${n}` });
		const list = async (limit: number) =>
			await runOn(own, { resource: 'dossier', operation: 'getAll', limit });
		const cut = await list(3);
		expect(cut.items).toHaveLength(3);
		expect(cut.hints).toEqual([expect.stringContaining("more records than 'Limit' allows")]);
		const whole = await list(6);
		expect(whole.items).toHaveLength(5);
		expect(whole.hints).toEqual([]);
	},
);

describe('A list at a service that ignores the order', () => {
	const dossiers = [
		{ title: 'beta', due_at: '2030-01-01T00:00:00Z' },
		{ title: 'Gamma', due_at: '2029-12-31T23:30:00-02:00' },
		{ title: 'Alpha' },
		{ title: 'delta 10', due_at: '2031-01-01T00:00:00Z' },
		{ title: 'Delta 9', due_at: '2028-01-01T00:00:00Z' },
	];
	const own = useService({ profile: 'alternate' });

	beforeAll(async () => {
		for (const dossier of dossiers) await own.create('/dossiers', dossier);
	});

	const list = async (field: string, direction: string, amount: INodeParameters) => {
		const { items, hints } = await runOn(own, {
			resource: 'dossier',
			operation: 'getAll',
			sort: { rule: { field, direction } },
			...amount,
		});
		return { titles: items.map(({ json }) => json.title), hints };
	};
	const all = { returnAll: true };

	it.each([
		['title', 'asc', ['Alpha', 'beta', 'Delta 9', 'delta 10', 'Gamma']],
		['title', 'desc', ['Gamma', 'delta 10', 'Delta 9', 'beta', 'Alpha']],
		['due_at', 'asc', ['Delta 9', 'beta', 'Gamma', 'delta 10', 'Alpha']],
		['due_at', 'desc', ['delta 10', 'Gamma', 'beta', 'Delta 9', 'Alpha']],
	])('is sorted by %s, %s, if it is read whole', async (field, direction, titles) => {
		expect(await list(field, direction, all)).toEqual({ titles, hints: [] });
	});

	it('keeps its order if only the service knows how its words are ordered', async () => {
		const { titles } = await list('status', 'asc', all);
		expect(titles).toEqual((await list('status', 'desc', all)).titles);
	});

	it('keeps its order, with a hint, if it is cut', async () => {
		const { titles, hints } = await list('title', 'asc', { limit: 4 });
		expect(titles).not.toEqual([...titles].sort());
		expect(hints).toEqual([
			expect.stringContaining("more records than 'Limit' allows"),
			expect.stringContaining('does not sort this list'),
		]);
	});
});

it('a cut list is said to be out of order if the dialect says that the service cannot sort', async () => {
	const data = ['1', '2', '3'].map((id) => ({ id, title: id }));
	const { credential } = await fake((_, response) => answerJson(response, 200, { data }));
	const { hints } = await run(
		{ resource: 'dossier', operation: 'getAll', limit: 1, sort: { rule: { field: 'title' } } },
		{ credential: { ...credential, ...speaking({ list: { sort: null } }) } },
	);
	expect(hints).toContainEqual(expect.stringContaining('does not sort this list'));
});

it('a wait for the rate limit of five seconds or more is mentioned, together with the other hints', () => {
	expect(describeRun(new Map(), '', 4_999)).toEqual([]);
	expect(describeRun(new Map([['skipped', 1]]), '', 73_600)).toEqual(
		[
			"Waited 74 s for the rate limit. If your plan allows more, choose it under 'Rate Limit' in the credential. With a lower 'Longest Wait', items fail instead of waiting.",
			'Files skipped: 1, because the dossier has them already',
		].map((message) => ({ message, type: 'info', location: 'outputPane' })),
	);
});

describe('An operation that needs no credential', () => {
	const health = { resource: 'service', operation: 'checkHealth' };

	it('finds the service at the address in the credential, and sends no key', async () => {
		const { url, requests } = await fake(answering(200, '{"status": "ok"}'));
		const credential = { ...service.credential, baseUrl: `${url}/v1` };
		const { items, error } = await run(health, { credential });
		expect(error).toBeUndefined();
		expect(items[0]?.json).toMatchObject({ status: 'ok' });
		expect(requests).toHaveLength(1);
		expect(requests[0]?.headers).not.toHaveProperty('authorization');
	});
});

it('a refusal says everything once, and names fields as the form does', async () => {
	const body = {
		error: {
			code: 'VALIDATION_ERROR',
			message: 'Another dossier has this reference.',
			status: 422,
			details: [
				{ field: 'reference', message: 'Another dossier has this reference' },
				{ field: 'contact.email', message: 'is not an email address' },
			],
		},
	};
	const { credential } = await fake((_, response) => answerJson(response, 422, body));
	const create = { resource: 'dossier', operation: 'create', title: 'X' };
	const { error } = await run(create, { credential });
	expect(error?.message).toBe(
		"Another dossier has this reference ('Contact Email': is not an email address)",
	);
});

it('a hint says that a document was downloaded for several items', async () => {
	const dossier = await service.create('/dossiers', { title: 'Twice' });
	const { id } = await service.addDocument(dossier.id);
	const parameters = { resource: 'document', operation: 'download', documentId: byId(id) };
	const download = async (items: Input[]) => (await run(parameters, { items })).hints;
	expect(await download([{ json: {} }])).toEqual([]);
	expect(await download([{ json: {} }, { json: {} }])).toEqual([
		expect.stringContaining('Several items have the same document'),
	]);
});

it('the error for a taken reference names the operation that updates its dossier', async () => {
	const create = async () =>
		await run({
			resource: 'dossier',
			operation: 'create',
			title: 'Twice',
			fields: { reference: 'taken' },
		});
	await create();
	const { error } = await create();
	expect(error?.message.match(/has this reference/g)).toHaveLength(1);
	expect(error?.description).toContain("'Create or Update'");
});
