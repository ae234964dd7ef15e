import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import { isObject } from '../../contract/elements.mts';

const file = join(__dirname, '..', '..', 'contract', 'openapi.yaml');
const document: unknown = parse(readFileSync(file, 'utf8'));
const record = (value: unknown) => (isObject(value) ? value : {});
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const ajv = new Ajv2020({ strict: true, allErrors: true });
addFormats(ajv);
ajv.addVocabulary(['x-provenance', 'x-assumption', 'x-assumed-aspects', 'x-statuses']);
// The whole file is one schema for ajv, so that it resolves references.
ajv.addVocabulary(Object.keys(record(document)).filter((name) => !ajv.getKeyword(name)));
ajv.addSchema(record(document), 'contract', undefined, false);

const at = (pointer: string) => ajv.compile({ $ref: `contract#${encodeURI(pointer)}` });

/** The errors of a value against a schema of the contract, as `path keyword`. */
function listErrors(schema: string, value: unknown): string[] {
	const validate = at(`/components/schemas/${schema}`);
	validate(value);
	return (validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
}

const schemas = record(record(record(document).components).schemas);

/** Every schema with its JSON pointer: the named ones, and those of parameters, headers and bodies. */
function* places(value: unknown, pointer = ''): Generator<[string, Record<string, unknown>]> {
	if (Array.isArray(value)) {
		for (const [index, entry] of value.entries()) yield* places(entry, `${pointer}/${index}`);
	}
	for (const [name, entry] of Object.entries(record(value))) {
		const place = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
		if (name === 'schema' || pointer === '/components/schemas') yield [place, record(entry)];
		else if (name !== 'examples' && !name.startsWith('x-')) yield* places(entry, place);
	}
}

describe('the schemas of the contract', () => {
	const all = [...places(document)];

	it('compile in the strict mode of ajv', () => {
		const failed = all.flatMap(([pointer]) => {
			try {
				at(pointer);
				return [];
			} catch (error) {
				return [`${pointer}: ${error instanceof Error ? error.message : 'unknown'}`];
			}
		});
		expect(all.length).toBeGreaterThan(200);
		expect(failed).toEqual([]);
	});

	it('have examples', () => {
		const without = Object.keys(schemas).filter(
			(name) => !list(record(schemas[name]).examples).length,
		);
		// Each answer with an error has examples of its own, which a tool would take from the schema otherwise.
		expect(without).toEqual(['Error']);
	});

	it('have an example of an error for each code that an answer lists', () => {
		const responses = Object.entries(record(record(record(document).components).responses));
		for (const [name, response] of responses) {
			const codes = list(record(response)['x-error-codes']);
			const json = record(record(record(response).content)['application/json']);
			const examples = Object.values(record(json.examples)).map((one) => record(one).value);
			const shown = examples.map((one) => record(record(one).error).code);
			expect([name, shown.length > 0]).toEqual([name, true]);
			if (codes.length > 0) expect([name, shown]).toEqual([name, codes]);
		}
	});

	it('accept the examples of headers', () => {
		const headers = record(record(record(document).components).headers);
		for (const [name, header] of Object.entries(headers)) {
			const { example } = record(header);
			expect([name, at(`/components/headers/${name}/schema`)(example)]).toEqual([name, true]);
		}
	});
});

describe('an answer', () => {
	const [dossier] = list(record(schemas.Dossier).examples);

	it('must have every field of the contract', () => {
		for (const name of Object.keys(record(dossier))) {
			const { [name]: _, ...rest } = record(dossier);
			expect(listErrors('Dossier', rest)).toEqual([' required']);
		}
	});

	it('must have its times in UTC', () => {
		const local = { ...record(dossier), created_at: '2026-03-02T09:30:00+01:00' };
		expect(listErrors('Dossier', local)).toEqual(['/created_at pattern']);
	});

	it('may have unknown fields', () => {
		expect(listErrors('Dossier', { ...record(dossier), color: 'blue' })).toEqual([]);
	});
});
