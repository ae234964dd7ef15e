/** A document that takes the place of another one keeps its fields, byte for byte. */
import type { INodeParameters } from 'n8n-workflow';
import { answering, answerJson, readBody, refusing, sha256, useFake } from './fakeService.mts';
import type { Handlers } from './fakeService.mts';
import { useBinaryMode } from './n8n.mts';
import { carry, uploadTo } from './requests.mts';

beforeAll(async () => await useBinaryMode('default'));

const { service, run } = useFake();

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** The bodies of uploads, as the service got them. */
let written: string[];

beforeEach(() => {
	written = [];
});

describe('The document that takes the place of another one', () => {
	const custom =
		'{"10":1e400,"9":"\\u00e9","Vertrag.Nr":7615917337495251231,"deep":[{"a":1,"a":0.50}]}';
	const old = {
		id: 'doc_1',
		file_name: 'a.txt',
		size_bytes: 3,
		checksum_sha256: sha256('old'),
	};
	const content = 'new!';

	/** A service whose list shows less of its document than the document has. */
	function keeping(): Handlers {
		const text = JSON.stringify(old).replace(
			'}',
			`,"title":"Mei\\u00df","category":"tax","custom_fields":${custom}}`,
		);
		return {
			'GET /v1/dossiers/{id}/documents': { data: [old] },
			'GET /v1/documents/{id}': answering(200, text, JSON_TYPE),
			'POST /v1/dossiers/{id}/documents': async (request, response) => {
				written.push((await readBody(request)).toString());
				const made = { ...old, id: 'doc_2', size_bytes: 4, checksum_sha256: sha256(content) };
				answerJson(response, 201, made);
			},
			'DELETE /v1/documents/{id}': { deleted: true },
		};
	}

	const replace = uploadTo('dos_1', { ifExists: 'replace', category: 'UNSET' });
	const synchronize = { ...replace, operation: 'synchronize', extent: 'atLeast', dryRun: false };

	async function replaceWith(parameters: INodeParameters, more: INodeParameters = {}) {
		const items = [carry('a.txt', content)];
		const { error } = await run({ ...parameters, ...more }, { items, handlers: keeping() });
		expect(error).toBeUndefined();
		expect(service.requests.at(-1)).toMatchObject({
			method: 'DELETE',
			path: '/v1/documents/doc_1',
		});
		return written.at(-1) ?? '';
	}

	const both = [
		['Replace', replace],
		['Synchronize', synchronize],
	] as const;

	it.each(both)(
		'keeps title, category and custom fields as they came: %s',
		async (_, parameters) => {
			const body = await replaceWith(parameters);
			expect(body).toContain('"title":"Meiß"');
			expect(body).toContain('"category":"tax"');
			expect(body).toContain(`"custom_fields":${custom}`);
			const form = await replaceWith(parameters, { options: { format: 'multipart' } });
			expect(form).toMatch(/name="title"\r\n\r\nMeiß\r\n/);
			expect(form).toContain('7615917337495251231,"deep":[{"a":1,"a":0.50}]}\r\n');
		},
	);

	it.each(both)(
		'has the values of the form, and the old values of other fields: %s',
		async (_, parameters) => {
			const options = { title: 'New', customFields: { field: [{ name: '9', value: 'nine' }] } };
			const body = await replaceWith(parameters, { category: 'invoice', options });
			expect(body).toContain('"category":"invoice","title":"New"');
			expect(body).toContain('{"10":1e400,"9":"nine","Vertrag.Nr":7615917337495251231,');
		},
	);

	it.each(both)('has the category Other if the form chooses it: %s', async (_, parameters) => {
		const body = await replaceWith(parameters, { category: '={{ "Other" }}' });
		expect(body).toContain('"category":"other"');
	});

	describe.each(['[{"name":"a","value":1.0}]', '"a=1; b=2"'])('with custom fields %s', (held) => {
		const withHeld = () => {
			const handlers = keeping();
			const text = `${JSON.stringify(old).slice(0, -1)},"custom_fields":${held}}`;
			return { ...handlers, 'GET /v1/documents/{id}': answering(200, text, JSON_TYPE) };
		};
		const items = [carry('a.txt', content)];

		it('keeps them as they came', async () => {
			const options = { format: 'multipart' };
			await run(replace, { items, handlers: withHeld() });
			await run({ ...replace, options }, { items, handlers: withHeld() });
			expect(written[0]).toContain(`"custom_fields":${held}`);
			expect(written[1]).toContain(`\r\n\r\n${held.replaceAll(/^"|"$/g, '')}\r\n`);
		});

		it('is not sent if one of them is to change', async () => {
			const options = { customFields: { field: [{ name: 'a', value: '2' }] } };
			const { error } = await run({ ...replace, options }, { items, handlers: withHeld() });
			expect(error?.message).toContain('in the field custom_fields');
			expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
		});
	});

	describe.each(both)('is not taken for the new one with %s', (_, parameters) => {
		const made = { ...old, size_bytes: 4, checksum_sha256: sha256(content) };

		it.each([
			['is another document', { ...made, id: 'doc_9', file_name: 'b.txt' }, 'which it had before'],
			['is elsewhere', { ...made, id: 'doc_2', dossier_id: 'dos_2' }, 'does not have the new'],
		])('if it %s', async (__, answered, message) => {
			const handlers = keeping();
			const other = { ...made, id: 'doc_9', file_name: 'b.txt' };
			handlers['GET /v1/dossiers/{id}/documents'] = { data: [old, other] };
			handlers['POST /v1/dossiers/{id}/documents'] = answered;
			const { error } = await run(parameters, { items: [carry('a.txt', content)], handlers });
			expect(error?.message).toContain(message);
			expect(error?.description).toContain('The old document was kept');
			expect(service.requests.map(({ method }) => method)).not.toContain('DELETE');
		});
	});

	it.each(both)(
		'stays if the new one cannot be read, which is named: %s',
		async (_, parameters) => {
			const handlers = {
				...keeping(),
				'POST /v1/dossiers/{id}/documents': { id: 'doc_2' },
				'GET /v1/documents/doc_2': refusing(404, 'Not there', 'DOCUMENT_NOT_FOUND'),
			};
			const { error } = await run(parameters, { items: [carry('a.txt', content)], handlers });
			expect(error?.message).toContain(
				'as the document doc_2, but does not give it out: Not there',
			);
			expect(error?.description).toMatch(/^Nothing was deleted/);
			expect(service.requests.map(({ method }) => method)).not.toContain('DELETE');
		},
	);

	it('stays if Synchronize was to delete it, and the service has put the file into it', async () => {
		const other = { ...old, file_name: 'b.txt' };
		const handlers = keeping();
		handlers['GET /v1/dossiers/{id}/documents'] = { data: [other] };
		handlers['POST /v1/dossiers/{id}/documents'] = {
			...other,
			size_bytes: 4,
			checksum_sha256: sha256(content),
		};
		const exactly = { ...synchronize, extent: 'exactly', deleteLimit: 5 };
		const { items, error } = await run(exactly, { items: [carry('a.txt', content)], handlers });
		expect([error, items.length]).toEqual([undefined, 1]);
		expect(service.requests.map(({ method }) => method)).not.toContain('DELETE');
	});

	it.each(both)('is not sent if it cannot keep them: %s', async (_, parameters) => {
		const handlers = keeping();
		const bytes = Buffer.from(JSON.stringify({ ...old, title: 'Meiß' }), 'latin1');
		handlers['GET /v1/documents/{id}'] = answering(200, bytes, JSON_TYPE);
		const { error } = await run(parameters, { items: [carry('a.txt', content)], handlers });
		expect(error?.message).toContain('The record doc_1 cannot be written back without loss');
		expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
	});
});
