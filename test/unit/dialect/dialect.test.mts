import Ajv from 'ajv';
import { dialectSchema } from '../../../nodes/Dossier/dialect/schema';
import type { Dialect } from '../../../nodes/Dossier/dialect/schema';
import { parseDialect } from '../../../nodes/Dossier/dialect/check';
import { writeFilters } from '../../../nodes/Dossier/dialect/lists';
import { findRecord, toPlain } from '../../../nodes/Dossier/dialect/structure';
import { Translator } from '../../../nodes/Dossier/dialect/translate';

/** The record as plain JSON. */
function findPlainRecord(...call: Parameters<typeof findRecord>) {
	const record = findRecord(...call);
	return record && toPlain(record);
}

const findProblems = (text: string) => parseDialect(text).problems ?? [];

describe('A dialect', () => {
	it('changes nothing if it is empty', () => {
		expect(parseDialect('')).toEqual({ dialect: {} });
		expect(parseDialect(' {} ')).toEqual({ dialect: {} });
	});

	it('is accepted by its JSON Schema and by the check alike', () => {
		const validate = new Ajv({ allowUnionTypes: true }).compile(dialectSchema);
		const good: Dialect = {
			naming: 'camelCase',
			dossier: {
				fields: { title: 'name' },
				values: { status: { open: 'OPEN' } },
				filters: { q: null },
			},
		};
		expect(validate(good)).toBe(true);
		expect(findProblems(JSON.stringify(good))).toEqual([]);
		for (const bad of [
			{ naming: 'kebab' },
			{ dossier: { fields: { titel: 'x' } } },
			{ list: { page: 1 } },
		]) {
			expect(validate(bad)).toBe(false);
			expect(findProblems(JSON.stringify(bad))).toHaveLength(1);
		}
	});

	it.each([
		['{\n  "naming": "camelCase",\n  "list": {,}\n}', 3, 'the text stops being JSON here'],
		['[]', 1, 'a dialect is a JSON object'],
		[
			'{\n"dossier": {\n"fields": {\n"title": 5}}}',
			4,
			'`dossier.fields.title` must be a text or null',
		],
		[
			'{"list":\n{"size": "count",\n"styl": "page"}}',
			3,
			'`list.styl` is not known; known are style, page, offset, cursor, size, firstPage, largestSize, sort, order',
		],
		['{"naming": "kebab"}', 1, '`naming` must be one of snake_case, camelCase, PascalCase'],
		[
			'{\n"task": {"fields": {"title": "name",\n"description": "name"}}}',
			3,
			'`task.fields.description` and `task.fields.title` have one name',
		],
		[
			'{"dossier": {"values": {"status":\n{"open": "A", "closed": "A"}}}}',
			1,
			'`dossier.values.status` has two values for "A"',
		],
		[
			'{"task": {\n"fields": {"title": "description"}}}',
			2,
			'`task.fields.title` and `task.fields.description` have one name',
		],
		[
			'{"invitation": {"fields": {"portal_user_id": "id"}}}',
			1,
			'`invitation.fields.portal_user_id` and `invitation.fields.id` have one name',
		],
		[
			'{"signature":\n{"header": "X-Sign",\n"content": "{time}.{body}"}}',
			3,
			'`signature.content` names {time}; it can name {body}, {timestamp}, {id}, {url}',
		],
		['{"signature": {"content": "{timestamp}"}}', 1, '`signature.content` must name {body}'],
		['{"signature": {"format": "v1="}}', 1, '`signature.format` must name {signature}'],
		[
			'{"upload":\n{"format": "separate"}}',
			1,
			'`upload` needs both format "separate" and address, or neither',
		],
		[
			'{"task": {"days": ["title"]}}',
			1,
			'`task.days.0` must be one of due_at, completed_at, created_at, updated_at',
		],
		['{"list": {"firstPage": -1}}', 1, '`list.firstPage` must be at least 0'],
	])('is refused with the line and the path: %s', (text, line, message) => {
		expect(findProblems(text)).toEqual([{ line, message }]);
	});
});

describe('A translation', () => {
	const translator = new Translator({
		naming: 'camelCase',
		dossier: {
			fields: {
				title: 'name',
				description: 'title',
				'contact.email': 'contactEmail',
				created_at: 'meta.created',
			},
			values: { status: { open: 'OPEN', in_progress: 2 } },
			filters: { q: null, status: 'filter[state]' },
		},
	});
	const ours = {
		id: 7,
		title: 'A',
		description: 'B',
		status: 'in_progress',
		contact: { email: 'a@example.com', name: 'Jane' },
		created_at: '2026-01-01T00:00:00Z',
		custom_fields: { cost_center: '1' },
		tags: ['x'],
		unknown_thing: { a_b: 1 },
	};
	const theirs = {
		id: 7,
		name: 'A',
		title: 'B',
		status: 2,
		contactEmail: 'a@example.com',
		contact: { name: 'Jane' },
		meta: { created: '2026-01-01T00:00:00Z' },
		customFields: { cost_center: '1' },
		tags: ['x'],
		unknown_thing: { a_b: 1 },
	};

	it('writes a record under the names of the service, also if two fields swap their names', () => {
		expect(translator.writeBody('dossier', ours)).toEqual(theirs);
	});

	it('reads it back unchanged, and changes nothing in what it was given', () => {
		const before = structuredClone(theirs);
		expect(translator.readRecord('dossier', theirs)).toEqual(ours);
		expect(theirs).toEqual(before);
	});

	it('does not change the answer that it reads, also if only words and times differ', () => {
		const translator = new Translator({ dossier: { values: { status: { open: 'OPEN' } } } });
		const sent = { id: 'a', status: 'OPEN', created_at: '2026-01-01T00:00:00' };
		const read = translator.readRecord('dossier', sent);
		expect(read).toMatchObject({ status: 'open', created_at: '2026-01-01T00:00:00.000Z' });
		expect(sent).toEqual({ id: 'a', status: 'OPEN', created_at: '2026-01-01T00:00:00' });
	});

	it('can have true and false as the values of a service', () => {
		const status = { pending: false, completed: true };
		const translator = new Translator({ task: { values: { status } } });
		expect(translator.writeBody('task', { status: 'completed' })).toEqual({ status: true });
		expect(translator.readRecord('task', { status: false })).toEqual({ status: 'pending' });
	});

	it('names filters, and gives null for one that the service does not have', () => {
		expect(translator.nameFilter('dossier', 'q')).toBeNull();
		expect(translator.nameFilter('dossier', 'status')).toBe('filter[state]');
		expect(translator.nameFilter('dossier', 'assignee_id')).toBe('assigneeId');
		expect(translator.nameFilter('dossier', 'created_after')).toBe('createdAfter');
	});
});

describe('Reading by structure', () => {
	const plain = new Translator({});
	const dossier = {
		id: 'dos_1',
		title: 'A',
		contact: { name: 'Jane', email: 'a@b.c' },
		status: 'open',
	};

	it.each([
		['bare', dossier],
		['under data', { data: dossier }],
		['under its own name', { dossier, meta: { request_id: 'r1' } }],
		['beside the id of the request', { success: true, id: 'req_1', result: { dossier } }],
	])('finds a record %s', (_, body) => {
		expect(findPlainRecord(plain, 'dossier', body)).toEqual(dossier);
	});

	it('gives document_id as id', () => {
		expect(
			findPlainRecord(plain, 'document', { document_id: 5, file_name: 'a.pdf' }),
		).toMatchObject({
			id: 5,
		});
	});
});

describe('A field that a service does not have, or has in another form', () => {
	it('can have another name in a request than in an answer', () => {
		const parsed = parseDialect(
			'{"dossier": {"fields": {"status": "status.value"}, "sentAs": {"status": "status"}, "values": {"status": {"open": "O"}}}}',
		);
		const dialect = parsed.problems ? {} : parsed.dialect;
		const service = new Translator(dialect);
		const read = service.readRecord('dossier', { id: '1', status: { value: 'O', since: 5 } });
		expect(read).toEqual({ id: '1', status: 'open' });
		const body = service.pickWritable('dossier', read);
		expect(service.writeBody('dossier', body)).toEqual({ status: 'O' });
		for (const refused of ['status', '/status', 'body.status', '/data/status'])
			expect(service.readFieldName('dossier', refused)).toBe('status');
		expect(findProblems('{"task": {"sentAs": {"title": "a", "description": "a"}}}')).toHaveLength(
			1,
		);
	});

	it('is a time in UTC if it names no zone', () => {
		const sent = { created_at: '2026-03-01 08:15:00', closed_at: '2026-03-01T09:15:00+01:00' };
		expect(new Translator({}).readRecord('dossier', sent)).toEqual({
			created_at: '2026-03-01T08:15:00.000Z',
			closed_at: '2026-03-01T09:15:00+01:00',
		});
	});

	it('is not sent if it is null or read-only in the dialect, also inside an object', () => {
		const service = new Translator({
			dossier: { fields: { tags: null, contact: null }, readOnly: ['description'] },
			invitation: { readOnly: ['qr_format'] },
		});
		const dossier = { title: 'One', tags: ['a'], contact: { name: 'Jane' }, description: 'Long' };
		expect(service.writeBody('dossier', dossier)).toEqual({ title: 'One' });
		expect(service.writeBody('invitation', { email: 'a@b.c', qr_format: 'png' })).toEqual({
			email: 'a@b.c',
		});
		expect(findProblems('{"dossier": {"fields": {"id": null}}}')).toHaveLength(1);
	});

	it('goes back in an update if the service gave it, unless it is read-only', () => {
		const record = {
			id: '1',
			title: 'One',
			lockVersion: 4,
			links: { self: '/1' },
			updated_at: 'x',
		};
		const strict = new Translator({ dossier: { readOnly: ['links'] } });
		expect(strict.pickWritable('dossier', record)).toEqual({ title: 'One', lockVersion: 4 });
	});

	it.each([
		['epochSeconds', 1_893_553_445],
		['epochMilliseconds', 1_893_553_445_000],
	] as const)('is a time in %s, in records, filters and events', (times, number) => {
		const time = '2030-01-02T03:04:05.000Z';
		const service = new Translator({ times });
		expect(service.readRecord('dossier', { due_at: number, closed_at: null })).toEqual({
			due_at: time,
			closed_at: null,
		});
		expect(service.writeBody('dossier', { title: '2030-01-02', due_at: time })).toEqual({
			title: '2030-01-02',
			due_at: number,
		});
		expect(writeFilters(service, 'task', { due_after: time, q: time })).toEqual({
			due_after: number,
			q: time,
		});
		expect(service.readPayload('task.due_soon', { due_at: number })).toEqual({ due_at: time });
	});

	it("is overridden under the service's own name as well as under that of this package", () => {
		const service = new Translator({ dossier: { fields: { title: 'name', reference: 'title' } } });
		expect(service.writeBody('dossier', { title: 'Form', name: '' })).toEqual({ name: '' });
		expect(service.writeBody('dossier', { title: 'Form', reference: 'R' })).toEqual({
			name: 'Form',
			title: 'R',
		});
	});

	it('loses no record within a second as a filter on times', () => {
		const service = new Translator({ times: 'epochSeconds' });
		const between = '2030-01-02T03:04:05.500Z';
		const query = { created_after: between, created_before: between };
		expect(writeFilters(service, 'dossier', query)).toEqual({
			created_after: 1_893_553_445,
			created_before: 1_893_553_446,
		});
	});
});
