/** What Check Contract asks for if a service refuses what it tries: only what can help. */
import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../../nodes/Dossier/api/json';
import { runDossier } from '../n8n.mts';
import { useMany } from '../started.mts';
import { startForeignService } from './foreignService.mts';
import { MANNERS, refuse } from './manners.mts';
import type { Json, Manners, Reply } from './manners.mts';

const { camelCase } = MANNERS;

const startForeign = useMany(startForeignService);

async function check(manners: Manners, dialect: Json = manners.dialect) {
	const service = await startForeign(manners);
	const { items, error } = await runDossier({
		parameters: { resource: 'service', operation: 'checkContract', tryWriting: true },
		credential: { ...service.credential, dialect: JSON.stringify(dialect) },
	});
	expect(error).toBeUndefined();
	expect(service.store).toEqual({ dossiers: [], documents: [], tasks: [] });
	const outputs = items.map(({ json }) => json);
	const { page, questions, dialect: found } = outputs.at(-1) ?? {};
	return {
		asked: (questions as IDataObject[]).map(({ path }) => path),
		page: toText(page) ?? '',
		dialect: JSON.parse(toText(found) ?? '') as Json,
		seen: (assumption: string) => outputs.find((one) => one.assumption === assumption)?.seen,
	};
}

const onlyTypes = (...types: unknown[]): Manners => ({
	...camelCase,
	fields: (body) =>
		'title' in body && !types.includes(body.type)
			? refuse(422, 'type must be one of client, matter')
			: camelCase.fields(body),
});

it('asks for a type if the service takes only those of a set and has no dossier yet', async () => {
	const { asked, page } = await check(onlyTypes('client', 'matter'));
	expect(asked).toEqual(['dossier.values.type']);
	expect(page).toMatch(/- `dossier\.values\.type`: .*must be one of client, matter/);
});

it('makes a dossier of the type that a person answered', async () => {
	const dialect = { ...camelCase.dialect, dossier: { values: { type: { client: 'K' } } } };
	const { asked, dialect: found } = await check(onlyTypes('K'), dialect);
	expect(asked).not.toContain('dossier.values.type');
	expect(asked).not.toContain('dossier.fields.title');
	expect(found.upload).toMatchObject({ format: 'multipart' });
});

it('asks how the audit log is sorted if it refuses the order that the poll trigger asks for', async () => {
	const list: Manners['list'] = (records, query) =>
		query.has('sort') ? refuse(400, 'sort is not known') : camelCase.list(records, query);
	const { asked, page } = await check({ ...camelCase, list });
	expect(asked).toContain('list.sort');
	expect(page).toContain('null if the audit log cannot be sorted');
});

it('asks what the service says of a file that is not ready', async () => {
	const download = () => refuse(409, 'The document is still being scanned');
	expect((await check({ ...camelCase, download })).asked).toContain('download.notReady');
});

it('asks how requests state the kind of record if the service refuses them with 409, as JSON:API says', async () => {
	const manners: Manners = { ...camelCase, fields: () => refuse(409, 'data.type is missing') };
	expect((await check(manners)).asked).toContain('record.typeIn');
});

it('does not name Also Try Writing as what tells more if it was on', async () => {
	const manners: Manners = {
		...camelCase,
		document: async () => await Promise.resolve(refuse(403, 'No')),
	};
	const { page } = await check(manners);
	expect(page).toMatch(/A-12 How a file is downloaded\*\*: Told by: the service's reference/);
	expect(page).toMatch(/A-14 Lists and their pages\*\*: Told by: the service's reference/);
});

it('asks for no paste if the dialect in the credential says all that was found', async () => {
	const { dialect } = await check(camelCase);
	const answered = JSON.stringify(dialect).replaceAll('"?"', 'null');
	const again = await check(camelCase, JSON.parse(answered) as Json);
	expect(again.page).toMatch(/^\*\*Nothing is left to do\.\*\* The answers fit the dialect\.\n/);
	expect(again.page).not.toContain('Paste the dialect');
});

it('asks for no name if the key may not make a dossier', async () => {
	const manners: Manners = { ...camelCase, fields: () => refuse(403, 'The key may only read') };
	const { asked, page } = await check(manners);
	expect(asked).toEqual([]);
	expect(page).toMatch(/- A new dossier: .*403 .*The key may only read/);
	expect(page).toContain('See what was refused');
});

it('says at what the service failed, and asks for no name because of that', async () => {
	const manners: Manners = { ...camelCase, fields: () => refuse(500, 'Please try again') };
	const { asked, page } = await check(manners);
	expect(asked).toEqual([]);
	expect(page).toMatch(/- dossiers\.create: 500 .*Please try again/);
});

it('tries no fields twice if the dialect names all of them', async () => {
	const bodies: Json[] = [];
	const manners: Manners = {
		...camelCase,
		fields: (body) => {
			bodies.push(body);
			return refuse(422, 'title must have a number');
		},
	};
	const named = {
		reference: 'number',
		description: 'text',
		contact: null,
		due_at: null,
		tags: null,
		custom_fields: null,
	};
	await check(manners, { dossier: { fields: named } });
	const tried = bodies.map((body) => Object.keys(body).sort().join());
	expect(tried).toEqual(['number,text,title', 'title']);
});

it('asks for no id in requests if the service has no PUT', async () => {
	let isMade = false;
	const manners: Manners = {
		...camelCase,
		fields(body) {
			if (!('title' in body)) return camelCase.fields(body);
			const isFirst = !isMade;
			isMade = true;
			return isFirst ? camelCase.fields(body) : refuse(405, 'There is no PUT');
		},
	};
	const { asked, page } = await check(manners);
	expect(asked).not.toContain('record.idIn');
	expect(page).toMatch(/- A changed dossier: 405 .*There is no PUT/);
});

it('shows what the service does not take back if it refuses a change without it, too', async () => {
	let isMade = false;
	const manners: Manners = {
		...camelCase,
		one: (record, status) => camelCase.one({ ...record, lockVersion: 3 }, status),
		fields(body) {
			if ('lockVersion' in body) return refuse(422, 'lockVersion is unknown');
			if (isMade && !('description' in body)) return refuse(422, 'description is missing');
			isMade ||= 'title' in body;
			return camelCase.fields(body);
		},
	};
	const { asked, page } = await check(manners);
	expect(asked).toEqual(expect.arrayContaining(['dossier.readOnly', 'record.idIn']));
	expect(page).toMatch(/- `dossier\.readOnly`: .*lockVersion is unknown/);
});

it('tries the filter on types with a type that the service has, which may find nothing', async () => {
	const { strict } = MANNERS;
	const manners: Manners = {
		...strict,
		list(records, query) {
			const { type, ...others } = Object.fromEntries(query);
			if (type === undefined) return strict.list(records, query);
			if (type !== 'K') return refuse(400, 'type must be K');
			const [status, body] = strict.list(records, new URLSearchParams(others));
			return status === 200 ? refuse(404, 'There are none') : [status, body];
		},
	};
	const lacking = ['assignee_id', 'reference', 'q', 'created_after', 'created_before'];
	const filters = Object.fromEntries([...lacking, 'updated_after'].map((name) => [name, null]));
	const { fields } = strict.dialect.dossier as Json;
	const dossier = {
		fields,
		filters: { ...filters, status: 'state' },
		values: { type: { client: 'K' } },
	};
	const { page } = await check(manners, { ...strict.dialect, dossier });
	expect(page).not.toContain('dossier.filters`');
});

it('finds details that are an object with a sentence for each field', async () => {
	const problem = { code: 'REFUSED', message: 'It is not valid', status: 422 };
	const manners: Manners = {
		...camelCase,
		fields: (body) =>
			'check_contract' in body
				? [422, { error: { ...problem, reasons: { check_contract: 'is not known' } } }]
				: camelCase.fields(body),
	};
	expect((await check(manners)).dialect.errors).toEqual({ details: 'error.reasons' });
});

it('says that it ended early if the service refuses more requests', async () => {
	const { page } = await check({ ...camelCase, download: () => refuse(429, 'Too many requests') });
	expect(page).toMatch(/- The rest of the check: 429 .*Too many requests/);
});

it('does not conclude how names are written from a record that has both ways', async () => {
	const times = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' };
	const mixed = (names: Json): Manners => ({
		...camelCase,
		one: (record, status) => camelCase.one({ ...record, ...times, ...names }, status),
	});
	expect((await check(mixed({}), {})).dialect.naming).toBe('camelCase');
	expect((await check(mixed({ is_deleted: false }), {})).dialect.naming).toBeUndefined();
	const given = { dossier: { fields: { custom_fields: 'made_on' } } };
	const inner = { made_on: { check: 'of one' } };
	expect((await check(mixed(inner), given)).dialect.naming).toBe('camelCase');
});

const uploads = (answer: () => Reply): Manners => ({
	...camelCase,
	document: async (request, body) =>
		(request.headers['content-type'] ?? '').startsWith('multipart/')
			? refuse(415, 'Send JSON')
			: await Promise.resolve(body.length ? answer() : refuse(400, 'Nothing is there')),
});
const { upload: _, ...withoutUpload } = camelCase.dialect;

it('asks for no part of a form if the service takes no form', async () => {
	const manners = uploads(() => refuse(422, 'fileName is unknown'));
	const { asked } = await check(manners, withoutUpload);
	expect(asked).toEqual(expect.arrayContaining(['upload.content', 'document.fields.file_name']));
	expect(asked).not.toContain('upload.file');
	expect(asked).not.toContain('upload.format');
});

it('asks for the word of a category that the service does not have, and for no other part', async () => {
	const manners = uploads(() => refuse(422, 'category must be one of misc, tax'));
	const { asked } = await check(manners, withoutUpload);
	const own = asked.filter((path) => /^(document|upload)\./.test(toText(path) ?? ''));
	expect(own).toEqual(['document.values.category.other', 'document.fields.category']);
});

it('asks for the word of a category if a document without its file shows that it is wrong', async () => {
	const document: Manners['document'] = async (_, body) =>
		await Promise.resolve(
			body.includes('contentBase64')
				? refuse(400, 'contentBase64 is unknown')
				: refuse(422, 'document.category: no such word'),
		);
	const { asked, page } = await check({ ...camelCase, document }, withoutUpload);
	expect(asked).toContain('document.values.category.other');
	expect(asked).not.toContain('upload.content');
	expect(page).toMatch(/^\*\*Answer [^\n]*check again\.\*\*\n/);
});

it('asks for the word of a category if the dialect names the part of a form with the fields', async () => {
	const document: Manners['document'] = async (request) =>
		await Promise.resolve(
			request.headers['content-type']?.startsWith('multipart/')
				? refuse(400, 'No value of type for "other"')
				: refuse(415, 'Send a form'),
		);
	const dialect = {
		...withoutUpload,
		upload: { fieldsIn: 'metadata' },
		document: { fields: { category: 'type' } },
	};
	const { asked } = await check({ ...camelCase, document }, dialect);
	expect(asked).toContain('document.values.category.other');
});

it('says which fields of a dossier were refused if it could make one without them', async () => {
	const manners: Manners = {
		...camelCase,
		fields: (body) => ('tags' in body ? refuse(400, 'unknown field tags') : camelCase.fields(body)),
	};
	const fields = { reference: 'number', description: 'text' };
	const { page } = await check(manners, { ...camelCase.dialect, dossier: { fields } });
	expect(page).toMatch(/- A dossier with contact\.name, .*tags.*: 400 .*unknown field tags/);
});

it('does not conclude from the envelope of a dossier how a document is answered', async () => {
	const manners: Manners = {
		...camelCase,
		one: (record, status) => {
			const { bytes, ...rest } = record;
			return [status, bytes ? rest : { result: rest }];
		},
	};
	const { dialect, seen } = await check(manners);
	expect(dialect.record ?? {}).toEqual({});
	expect(seen('A-13')).not.toContain('envelope');
});

it('shows where a person said that details stand if no refusal has them there', async () => {
	const { page } = await check(camelCase, {
		...camelCase.dialect,
		errors: { details: 'problems' },
	});
	expect(page).toContain('- `errors.details`: no refusal has them there\n');
});

it('says what to do if the service refuses a file for its content, and the dialect says all', async () => {
	const manners = uploads(() => refuse(422, 'A file must be a PDF'));
	const fields = { file_name: 'fileName', mime_type: 'mimeType', category: 'category' };
	const { dossier: { values } = {} } = withoutUpload as { dossier?: Json };
	const dialect = {
		...withoutUpload,
		dossier: { values, fields: { created_at: 'made', updated_at: null } },
		upload: { format: 'json', content: 'contentBase64' },
		document: { fields },
	};
	const { asked, page } = await check(manners, dialect);
	expect(asked.filter((path) => /^(document|upload)/.test(toText(path) ?? ''))).toEqual([]);
	expect(page).toMatch(/^[^\n]*See what was refused/);
	expect(page).toMatch(/\n- A new document: 422 .*A file must be a PDF/);
});

it('takes +0000 for UTC', async () => {
	const fields: Manners['fields'] = (body) => {
		const read = camelCase.fields(body);
		const createdAt = new Date().toISOString().replace('Z', '+0000');
		return Array.isArray(read) ? read : { ...read, createdAt };
	};
	const { seen } = await check({ ...camelCase, fields });
	expect(seen('A-03')).not.toContain('not UTC');
});
