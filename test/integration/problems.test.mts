/** Bad input and hostile names: each ends with one error at the right item. */
import { rm } from 'node:fs/promises';
import type { INodeParameters } from 'n8n-workflow';
import { findBinaryPath, runDossier } from './n8n.mts';
import { carry, file, get, uploadTo, useDossier } from './requests.mts';
import { useFakes } from './fakeService.mts';
import { byId } from './service.mts';

const place = useDossier();
const { run } = place;
const fake = useFakes();

const upload = (parameters?: INodeParameters) => uploadTo(place.dossier, parameters);

describe('An unknown dossier', () => {
	const items = ['real', 'dos_missing', 'real'].map((id) => ({ json: { id } }));
	const parameters = () => get("={{ $json.id === 'real' ? $json.real : $json.id }}");
	const given = () => items.map(({ json }) => ({ json: { ...json, real: place.dossier } }));

	it('gives an error in place of its item if the node continues, and the other items are processed', async () => {
		const outcome = await run(parameters(), {
			items: given(),
			onError: 'continueRegularOutput',
		});
		expect(outcome.items.map(({ json }) => json.id)).toEqual([
			place.dossier,
			undefined,
			place.dossier,
		]);
		expect(outcome.items[1]).toMatchObject({
			json: {
				error: {
					code: 'DOSSIER_NOT_FOUND',
					status: 404,
					message: expect.any(String),
					hint: expect.any(String),
					details: [],
					request_id: expect.any(String),
				},
			},
			pairedItem: { item: 1 },
		});
	});

	it('goes to the error output if there is one', async () => {
		const { items: good, errors } = await run(parameters(), {
			items: given(),
			onError: 'continueErrorOutput',
		});
		expect(good).toHaveLength(2);
		expect(errors).toHaveLength(1);
		expect(errors[0]?.json).toMatchObject({
			id: 'dos_missing',
			error: { code: 'DOSSIER_NOT_FOUND', status: 404 },
		});
	});
});

describe('Identifiers', () => {
	it.each(['../../v1/dossiers', 'a/b', '%2e%2e', 'dos_1?x=1#y', 'ü 漢'])(
		'%s reaches the service as one path segment',
		async (id) => {
			const { error } = await run(get(id));
			expect(error?.httpCode).toBe('404');
		},
	);

	it.each(['.', '..'])('%s is refused before a request is sent', async (id) => {
		const { error } = await run({ resource: 'dossier', operation: 'delete', dossierId: byId(id) });
		expect(error?.message).toBe(`"${id}" is not an identifier`);
	});
});

describe('A key that may upload and not read', () => {
	const uploadOnly = async (ifExists: string) => {
		const { service, dossier } = place;
		const path = `/organizations/${service.organization.id}/keys`;
		const scopes = ['documents:write'];
		const { key } = await service.control<{ key: string }>('post', path, { kind: 'test', scopes });
		const credential = { ...service.credential, apiKey: key };
		const parameters = uploadTo(dossier, { ifExists });
		return await run(parameters, { items: [carry('scan.pdf')], credential });
	};

	it.each(['skip', 'replace', 'fail'])(
		'is told of the choice that reads nothing, with %s',
		async (ifExists) => {
			const { error } = await uploadOnly(ifExists);
			expect(error?.httpCode).toBe('403');
			expect(error?.message).toContain('documents:read');
			expect(error?.description).toMatch(
				/whether scan\.pdf is among them\..*set 'If Document Exists' to 'Upload Anyway'\./,
			);
		},
	);

	it('uploads with that choice', async () => {
		const { items, error } = await uploadOnly('upload');
		expect(error).toBeUndefined();
		expect(items[0]?.json).toMatchObject({ file_name: 'scan.pdf', skipped: false });
	});
});

describe('Files', () => {
	it('that are missing are reported with the available fields', async () => {
		const { items } = await run(upload(), {
			items: [{ json: {} }, { json: {}, files: { attachment: file('a.txt') } }, carry('good.txt')],
			onError: 'continueRegularOutput',
		});
		expect(items.map(({ json }) => json.error ?? json.file_name)).toEqual([
			expect.objectContaining({
				message: 'The item has no binary field "data"',
				hint: expect.stringContaining('no file at all'),
			}),
			expect.objectContaining({ hint: expect.stringContaining('Available: "attachment".') }),
			'good.txt',
		]);
	});

	it('of an item are uploaded although one of them is missing, if the node continues', async () => {
		const { items } = await run(upload({ binaryPropertyName: 'gone,data' }), {
			items: [carry('stays.txt')],
			onError: 'continueRegularOutput',
		});
		expect(items.map(({ json }) => json.error ?? json.file_name)).toEqual([
			expect.objectContaining({ message: 'gone: The item has no binary field "gone"' }),
			'stays.txt',
		]);
	});

	it('that vanish from the storage of n8n fail without the others', async () => {
		const { items } = await runDossier({
			parameters: upload(),
			credential: place.service.credential,
			onError: 'continueRegularOutput',
			items: [carry('vanishes.txt'), carry('remains.txt')],
			before: async (given) => await rm(await findBinaryPath(given[0]?.binary?.data)),
		});
		expect(items.map(({ json }) => json.error ?? json.file_name)).toEqual([
			expect.objectContaining({
				message: "The file vanishes.txt is no longer in n8n's storage",
				hint: expect.stringContaining('again'),
			}),
			'remains.txt',
		]);
	});

	it('that the service refuses are named by their own name among several', async () => {
		const refused = upload({ category: 'OWN', ownCategory: '={{ $json.category ?? "other" }}' });
		const tooLong = 'x'.repeat(65);
		const bad = { ...carry('bad.txt'), json: { category: tooLong } };
		const alone = await run(refused, { items: [bad] });
		expect(alone.error?.message).toMatch(/^(?!bad\.txt)/);
		const among = await run(refused, { items: [carry('good.txt'), bad] });
		expect(among.error?.message).toMatch(/^bad\.txt: .*\[item 1\]$/);
		const one = { json: {}, files: { a: file('first.txt'), b: file('second.txt') } };
		const both = await run(upload({ filesFrom: 'all', category: 'OWN', ownCategory: tooLong }), {
			items: [one],
			onError: 'continueRegularOutput',
		});
		expect(both.items.map(({ json }) => json.error)).toEqual([
			expect.objectContaining({ message: expect.stringMatching(/^first\.txt: /) }),
			expect.objectContaining({ message: expect.stringMatching(/^second\.txt: /) }),
		]);
	});

	it('require a category that can be one', async () => {
		const items = [carry('x.txt')];
		const { error } = await run(upload({ category: '={{ "Rechnungg" }}' }), { items });
		expect(error?.message).toBe(`The field 'Category' has no choice "Rechnungg"`);
		expect(error?.description).toContain('one of: certificate, contract, ');
		const own = await run(upload({ category: 'OWN', ownCategory: 'Not Snake Case' }), { items });
		expect(own.error?.message).toMatch(/^The field 'Category Name' is not a word of lower-case/);
		const empty = await run(upload({ category: 'OWN', ownCategory: '' }), {
			items: [carry('x.txt')],
		});
		expect(empty.error?.message).toBe("The field 'Category Name' is empty");
	});
});

describe('A word of a choice', () => {
	const write = (word: string) => `={{ ${JSON.stringify(word)} }}`;

	it.each(['Identity Document', 'identity-document', 'IDENTITY_DOCUMENT', ' "Identity document" '])(
		'is taken from an expression as %s',
		async (word) => {
			const { items } = await run(upload({ category: write(word) }), { items: [carry('a.txt')] });
			expect(items[0]?.json.category).toBe('identity_document');
		},
	);

	it('is taken in all fields of a task, and may be one of the service', async () => {
		const create = async (fields: INodeParameters) =>
			await run({ resource: 'task', operation: 'create', title: 'Words', fields });
		const { items } = await create({ status: write('In-Progress'), priority: write(' HIGH ') });
		expect(items[0]?.json).toMatchObject({ status: 'in_progress', priority: 'high' });
		const { error } = await create({ status: write('on_hold') });
		expect(error?.message).toContain("'Status'");
		expect(error?.httpCode).toBe('422');
	});

	it('is taken as a format, and as a choice of what to do', async () => {
		const exported = await run({
			resource: 'auditLog',
			operation: 'export',
			exportAs: write('JSON File'),
			binaryPropertyName: 'data',
		});
		expect(exported.items[0]?.json.mime_type).toContain('json');
		const given = upload({ ifExists: write('Upload Anyway'), options: { format: write('JSON') } });
		const { items } = await run(given, { items: [carry('b.txt')] });
		expect(items[0]?.json).toMatchObject({ file_name: 'b.txt', skipped: false });
	});
});

describe('Form fields', () => {
	it.each([
		[{ dueAt: 'tomorrow' }, "The field 'Due At' is not a date"],
		[
			{ customFields: { field: [{ name: '', value: '1' }] } },
			"The field 'Custom Fields' has a value without a name",
		],
		[{ furtherFields: '[1]' }, "The field 'Further Fields (JSON)' is not a JSON object"],
	])('%j is refused with an example of a valid value', async (fields, message) => {
		const { error } = await run({ resource: 'dossier', operation: 'create', title: 'X', fields });
		expect(error?.message).toBe(message);
		expect(error?.description).toMatch(/^Enter .*e\.g\./);
	});

	it('that the service refuses are named as in the form, without a way to Check Contract', async () => {
		const { error } = await run({
			resource: 'dossier',
			operation: 'create',
			title: 'X',
			fields: { contactEmail: 'nobody' },
		});
		expect(error?.message).toContain("'Contact Email': Expected an email address");
		expect(error?.message).not.toContain('contact.email');
		expect(error?.description).not.toContain('Check Contract');
	});

	it('that hold the ID of another kind of record are told so', async () => {
		const { error } = await run(get('doc_5t9x0c7v'));
		expect(error?.description).toContain(
			'"doc_5t9x0c7v" looks like the ID of a document: check \'Dossier\'',
		);
	});

	it('that break a rule of the service are reported with its details', async () => {
		const { items } = await run(
			{ resource: 'dossier', operation: 'create', title: 'X'.repeat(500) },
			{ onError: 'continueRegularOutput' },
		);
		expect(items[0]?.json.error).toMatchObject({
			code: 'VALIDATION_ERROR',
			status: 422,
			details: [expect.objectContaining({ field: 'title' })],
		});
	});

	it('require a limit above 0', async () => {
		const { error } = await run({ resource: 'dossier', operation: 'getAll', limit: '={{ 0 }}' });
		expect(error?.message).toBe("The field 'Limit' is not a whole number above 0");
	});
});

describe('A hostile file name', () => {
	it.each([
		['../../etc/passwd', '_.._etc_passwd'],
		['C:\\Windows\\con', 'C__Windows_con'],
		['nul.txt', '_nul.txt'],
		['a\u202egpj.exe', 'a_gpj.exe'],
		['...', 'document'],
	])('%j is saved as %j', async (fileName, safe) => {
		const document = { id: 'doc_1', file_name: fileName };
		const { credential } = await fake(({ url: path }, response) =>
			response.end(path?.endsWith('/download') ? 'content' : JSON.stringify(document)),
		);
		const download = { resource: 'document', operation: 'download', documentId: byId('doc_1') };
		const { items } = await run(download, { credential });
		expect(items[0]?.binary?.data?.fileName).toBe(safe);
	});
});
