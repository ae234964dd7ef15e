/** A change sends back a record as it came, byte for byte, except for what it changes. */
import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';
import type { Dialect } from '../../nodes/Dossier/dialect/schema';
import { anyName, anyText, anyValue } from './drawnJson.mts';
import { answering, readBody, useFake } from './fakeService.mts';
import type { Handlers } from './fakeService.mts';
import { useBinaryMode } from './n8n.mts';
import { speaking } from './requests.mts';
import { byId } from './service.mts';

beforeAll(async () => await useBinaryMode('default'));

const { service, run } = useFake();

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** The bodies of PUT, as the service got them. */
let written: string[];

beforeEach(() => {
	written = [];
});

/** Handlers of a service with one dossier, whose text it keeps as it got it. */
function serveText(text: string | Buffer, headers: Record<string, string> = JSON_TYPE): Handlers {
	let kept = text;
	return {
		'GET /v1/dossiers/{id}': (_, response) => response.writeHead(200, headers).end(kept),
		'GET /v1/dossiers': answering(200, `{"data":[${text.toString()}]}`, headers),
		'PUT /v1/dossiers/{id}': async (request, response) => {
			const body = (await readBody(request)).toString();
			written.push(body);
			kept = `{"id":"dos_1",${body.slice(1)}`;
			response.writeHead(200, JSON_TYPE).end(kept);
		},
	};
}

const dossier = (operation: string, parameters: INodeParameters): INodeParameters => ({
	resource: 'dossier',
	operation,
	...parameters,
});

const update = (fields: INodeParameters) => dossier('update', { dossierId: byId('dos_1'), fields });

/** Updates the dossier. Gives the body that the service got, or `undefined` if it got none. */
async function change(text: string, fields: INodeParameters, dialect: Dialect = {}) {
	const handlers = serveText(text);
	const { error } = await run(update(fields), { handlers, credential: speaking(dialect) });
	if (error) throw error;
	return written.at(-1);
}

const customField = (name: string, value: string): INodeParameters => ({
	customFields: { field: [{ name, value }] },
});

describe('What a change does not touch goes back as it came', () => {
	it.each([
		['a number of 64 bits', '7615917337495251231'],
		['a long decimal', '12345678901234567.89'],
		['a long fraction', '0.1234567890123456789'],
		['a number with a large exponent', '1e400'],
		['another spelling of a number', '1.50E+2'],
		['minus zero', '-0'],
		['a time without a zone', '"2026-12-24T08:00:00"'],
		['escapes', String.raw`"\u00e9\/\ud83d\ude00\ud800"`],
		['names that look like numbers', '{"10":1,"9":2}'],
		['two members with one name', '{"a":1,"a":2}'],
		['a list of those', '[1e400, {"__proto__": 12345678901234567890}]'],
	])('%s', async (_, value) => {
		const record = `{"id":"dos_1","title":"Old","due_at":${value},"custom_fields":{"konto":${value}}}`;
		expect(await change(record, { title: 'New' })).toBe(
			`{"title":"New","due_at":${value},"custom_fields":{"konto":${value}}}`,
		);
		expect(await change(record, customField('neu', 'x'))).toBe(
			`{"title":"Old","due_at":${value},"custom_fields":{"konto":${value},"neu":"x"}}`,
		);
		expect(await change(record, { addTags: 'a' })).toBe(
			`{"title":"Old","due_at":${value},"custom_fields":{"konto":${value}},"tags":["a"]}`,
		);
	});

	it('and the node sends nothing if the service has the new value already', async () => {
		const record =
			'{"id":"dos_1","title":"M\\u00fcller","tags":["a", "b"],"custom_fields":{"konto":7615917337495251231}}';
		const fields = {
			title: 'Müller',
			addTags: 'b',
			...customField('konto', '7615917337495251231'),
		};
		expect(await change(record, fields)).toBeUndefined();
	});

	it('with Create or Update, and in the second change of a run', async () => {
		const rest = '"reference":"R1","konto":7615917337495251231,"due_at":"2026-12-24T08:00:00"';
		const parameters = dossier('upsert', {
			reference: 'R1',
			title: '={{ $json.title }}',
			fields: {},
		});
		const items = ['One', 'Two'].map((title) => ({ json: { title } }));
		const handlers = serveText(`{"id":"dos_1","title":"Old",${rest}}`);
		const { error } = await run(parameters, { items, handlers });
		expect(error).toBeUndefined();
		expect(written).toEqual([`{"title":"One",${rest}}`, `{"title":"Two",${rest}}`]);
		const reads = service.requests.filter(({ path }) => path.endsWith('/dos_1'));
		expect(reads.map(({ method }) => method)).toEqual(['GET', 'PUT', 'PUT']);
	});

	it('also tags that are not texts, while others are added and removed', async () => {
		const record = '{"id":"dos_1","title":"Old","tags":[1e400, "b", {"n": "ü"}, "c"]}';
		expect(await change(record, { addTags: 'd, c', removeTags: 'b' })).toBe(
			'{"title":"Old","tags":[1e400,{"n": "ü"},"c","d"]}',
		);
	});

	it('under the names of a dialect, also if one field is sent under another name', async () => {
		const record =
			'{"id":7,"naam":"Old","owner":{"id":12345678901234567890,"x":1},"createdAt":1,"dueAt":1e9,"extra":1e400}';
		const dialect: Dialect = {
			naming: 'camelCase',
			times: 'epochSeconds',
			dossier: {
				fields: { title: 'naam', assignee_id: 'owner.id' },
				sentAs: { assignee_id: 'ownerId' },
			},
		};
		expect(await change(`{"result":${record}}`, { title: 'New' }, dialect)).toBe(
			'{"naam":"New","owner":{"x":1},"dueAt":1e9,"extra":1e400,"ownerId":12345678901234567890}',
		);
	});
});

it('The node sends numbers of any length as the form has them', async () => {
	const record = '{"id":"dos_1","title":"Old","custom_fields":{"konto":7615917337495251231}}';
	const furtherFields = '{"custom_fields": {"konto": 7615917337495251232, "n": [1e400]}}';
	expect(await change(record, { furtherFields })).toBe(
		'{"title":"Old","custom_fields":{"konto":7615917337495251232,"n":[1e400]}}',
	);
	const handlers: Handlers = {
		'POST /v1/dossiers': async (request, response) => {
			written.push((await readBody(request)).toString());
			response.writeHead(201, JSON_TYPE).end('{"id":"dos_1","title":"T","status":"open"}');
		},
	};
	const created = await run(dossier('create', { title: 'T', fields: { furtherFields } }), {
		handlers,
	});
	expect(created.error).toBeUndefined();
	expect(written.at(-1)).toBe(
		'{"title":"T","custom_fields":{"konto":7615917337495251232,"n":[1e400]}}',
	);
});

it.each([
	['in a row', customField('Vertrag.Nr', '7')],
	['in JSON', { furtherFields: '{"custom_fields": {"Vertrag.Nr": "7"}}' }],
])('A custom field whose name has a dot can be updated %s', async (_, fields) => {
	const rest = '"Vertrag":{"Nr":2},"a.b.c":1e400';
	const record = `{"id":"dos_1","title":"Old","custom_fields":{"Vertrag.Nr":"1",${rest}}}`;
	expect(await change(record, fields)).toBe(
		`{"title":"Old","custom_fields":{"Vertrag.Nr":"7",${rest}}}`,
	);
});

const contact: INodeParameters = { contactEmail: 'new@x' };

it.each([
	['custom_fields', '[{"name":"a","value":1}]', 'a list', customField('a', '2')],
	['custom_fields', '"a=1"', 'a value', customField('a', '2')],
	['contact', '"Jane Doe"', 'a value', contact],
	['contact', '[{"email":"one@x"},{"email":"two@x"}]', 'a list', contact],
	['tags', '{"x":true}', 'an object', { addTags: 'z' }],
	['tags', '"x, y"', 'a value', { removeTags: 'y' }],
	['a.b', '7', 'a value', { furtherFields: '{"a": {"b": {"c": 1}}}' }],
] as const)(
	'A part of %s cannot be changed if the field holds %s',
	async (field, held, found, fields) => {
		const value = field === 'a.b' ? `"a":{"b":${held}}` : `"${field}":${held}`;
		const handlers = serveText(`{"id":"dos_1","title":"Old",${value}}`);
		const { error } = await run(update(fields), { handlers });
		expect(error?.message).toContain(`The service holds ${found} in the field ${field}`);
		expect(written).toEqual([]);
	},
);

it.each(['null', '[]', '""', '{ }'])(
	'Parts can be added to a field that is empty, written as %s',
	async (nothing) => {
		const record = `{"id":"dos_1","custom_fields":${nothing},"contact":${nothing},"tags":${nothing}}`;
		const fields = { ...customField('a', '2'), ...contact, addTags: 'z' };
		expect(JSON.parse((await change(record, fields)) ?? '')).toEqual({
			custom_fields: { a: '2' },
			contact: { email: 'new@x' },
			tags: ['z'],
		});
	},
);

const read = dossier('get', { dossierId: byId('dos_1'), output: 'raw' });

describe('A record in bytes that are not UTF-8', () => {
	const latin1 = Buffer.from(
		'{"id":"dos_1","title":"Straße","konto":7615917337495251231}',
		'latin1',
	);
	const garbled = [
		['without a charset', {}],
		['with an unknown charset', { 'Content-Type': 'application/json; charset=x' }],
		['in spite of its charset', { 'Content-Type': 'application/json; charset=utf-8' }],
	] as const;

	it.each(garbled)('is not changed %s', async (_, headers) => {
		const handlers = serveText(latin1, headers);
		const { error } = await run(update({ description: 'New' }), { handlers });
		expect(error?.message).toContain('The record dos_1 cannot be written back without loss');
		expect(error?.description).toContain('Nothing was changed');
		expect(written).toEqual([]);
	});

	it.each(garbled)('is shown with a hint %s', async (_, headers) => {
		for (const parameters of [read, dossier('getAll', { output: 'raw', returnAll: true })]) {
			const handlers = serveText(latin1, headers);
			handlers['GET /v1/dossiers'] = answering(
				200,
				Buffer.concat([Buffer.from('['), latin1, Buffer.from(']')]),
				headers,
			);
			const { items, hints } = await run(parameters, { handlers });
			expect(items[0]?.json.title).toBe('Stra\uFFFDe');
			expect(hints).toEqual([expect.stringContaining('not UTF-8')]);
		}
	});

	it.each([
		['names its charset', latin1, 'application/json; charset=ISO-8859-1', 'Straße'],
		[
			'is in windows-1252, which may be called ISO-8859-1',
			Buffer.from(latin1.toString('latin1').replace('ß', '\x80\x84\x96\x9f'), 'latin1'),
			'application/json; charset=iso-8859-1',
			'Stra€„–Ÿe',
		],
		[
			'is UTF-8 and holds the replacement character itself',
			Buffer.from('{"id":"dos_1","title":"Stra\uFFFDe","konto":7615917337495251231}'),
			'application/json',
			'Stra\uFFFDe',
		],
	])('is changed if it %s', async (_, bytes, type, title) => {
		const handlers = serveText(bytes, { 'Content-Type': type });
		const { error, hints } = await run(update({ description: 'New' }), { handlers });
		expect([error, hints]).toEqual([undefined, []]);
		expect(written).toEqual([
			`{"title":"${title}","konto":7615917337495251231,"description":"New"}`,
		]);
	});
});

it.each([
	['7615917337495251231', '7615917337495251231'],
	['12345678901234567.89', '12345678901234567.89'],
	['0.1234567890123456789', '0.1234567890123456789'],
	['1e400', '1e400'],
	['-1E-400', '-1E-400'],
	['0.10000000000000001', 0.1],
	['1.50E+2', 150],
	['12.50', 12.5],
	['-0.0', -0],
	['1e22', 1e22],
])('A number %s is given out unharmed', async (number, shown) => {
	const { items } = await run(read, {
		handlers: serveText(
			`{"id":"dos_1","title":"Text with 1e400","list":[${number}],"n":${number}}`,
		),
	});
	expect(items[0]?.json).toMatchObject({ title: 'Text with 1e400', list: [shown], n: shown });
});

it('In records drawn at random, one field changes and nothing else', async () => {
	const members = fc.array(fc.tuple(anyName, anyValue), { maxLength: 6 });
	const separator = fc.constantFrom(',', ', ', ',\n\t', ' ,');
	const wrap = fc.constantFrom(
		['', ''],
		[' {"data" : ', '}\n'],
		['\uFEFF{"meta":{"a":1e400},"x":', '}'],
	);
	const places = fc.tuple(fc.nat(), fc.nat());
	const drawn = fc.tuple(members, separator, wrap, places, anyText);
	await fc.assert(
		fc.asyncProperty(drawn, async ([others, comma, [before = '', after = ''], [at, idAt], old]) => {
			const insertTitle = (title: string) => {
				const fields = others.map(([name, value]) => `${name}: ${value}`);
				return fields.toSpliced(at % (fields.length + 1), 0, `"title" :${title}`);
			};
			const fields = insertTitle(old);
			const held = fields.toSpliced(idAt % (fields.length + 1), 0, '"id":"dos_1"');
			written = [];
			const record = `${before}{${held.join(comma)}}${after}`;
			expect(await change(record, { title: 'New "title" ü' })).toBe(
				`{${insertTitle('"New \\"title\\" ü"').join(comma)}}`,
			);
		}),
		{ numRuns: Number(process.env.RECORDS ?? 100), seed: 7 },
	);
});
