import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { Problem } from '../problems/problem';
import { parseExact } from '../api/jsonText';
import { isObject, mergeDeep } from '../dialect/paths';
import { toUtc } from './dates';
import { listChoices } from './fields';
import { computeForItem, refuseUnusable, toPlainJson } from './unusable';
import { findChoice, listEntries } from './words';

/** The values of the form for one item. Every method throws Problem. */
export interface Parameters {
	/** The text of a field that must not be empty, without spaces around it. */
	text(name: string): string;
	/** The identifier that a locator or a field holds, in every sign. */
	id(name: string): string;
	/** The web address in a field, without a user name. */
	address(name: string): string;
	/** The state of a switch, by its path in the form. An expression may give it as text. */
	flag(path: string): boolean;
	/** The chosen option of a field. */
	choice(field: INodeProperties): string;
	/** How many records to give: `undefined` for all of them. */
	limit(): number | undefined;
	/** The fields that were added to a collection. */
	collection(name: string): IDataObject;
	/**
	 * The body of a request from fields of collections or, if no collection is named, of the form itself. A field that is
	 * empty, or holds only spaces and commas, is left out, so that an expression without a value never clears anything.
	 */
	body(fields: Record<string, FieldMapping>, ...collections: string[]): IDataObject;
	/** The value as the form or an expression gives it. */
	raw(name: string): unknown;
	/** The same form with other values: by the name of the field; for a collection, by `collection.field`. */
	replace(values: ReadonlyMap<string, unknown>): Parameters;
	/** The workflow's timezone, in which dates without an offset are read. */
	timezone(): string;
}

function requireText(value: unknown, field: string): string {
	if (isEmpty(value)) throw new Problem('FIELD_EMPTY', { field });
	return asText(value, field);
}

/** The value of a locator: in which mode it names the record, and by what. */
export interface Located {
	mode: string;
	value: unknown;
}

export const isLocator = (value: unknown): value is IDataObject & Located =>
	isObject(value) && typeof value.mode === 'string' && 'value' in value;

/** Reads the form for one item, with values that replace its own. */
export function readParameters(
	context: IExecuteFunctions,
	itemIndex: number,
	located: ReadonlyMap<string, unknown> = new Map(),
): Parameters {
	// Without a fallback, n8n throws for a field that the form does not show.
	const raw = (name: string): unknown =>
		located.get(name) ?? computeForItem(context, name, itemIndex, null);

	const collection = (name: string): IDataObject => {
		const value = raw(name);
		if (!isObject(value)) return {};
		const fields = Object.entries(value).map(([inner, held]) => [
			inner,
			located.get(`${name}.${inner}`) ?? held,
		]);
		return Object.fromEntries(fields) as IDataObject;
	};

	// A switch that the form does not show is off; one without a value may have been meant to be on.
	const flag = (path: string): boolean =>
		asFlag(computeForItem(context, path, itemIndex, false), path.replace('options.', ''));

	return {
		raw,
		replace: (values) => readParameters(context, itemIndex, values),
		timezone: () => context.getTimezone(),
		text: (name) => requireText(raw(name), name),
		id: (name) => {
			const id = asId(raw(name), name);
			if (id === undefined) throw new Problem('FIELD_EMPTY', { field: name });
			return id;
		},
		address: (name) => {
			const address = requireText(raw(name), name);
			if (!URL.canParse(address) || !/^https?:/i.test(address)) {
				throw new Problem('FIELD_INVALID', { field: name, rule: 'address' });
			}
			const { username, password } = new URL(address);
			if (!username && !password) return address;
			throw new Problem('FIELD_INVALID', { field: name, rule: 'addressOnly' });
		},
		flag,
		choice: (field) => asChoice(requireText(raw(field.name), field.name), field),
		limit: () => {
			if (flag('returnAll')) return undefined;
			const limit = readNumber(raw('limit'));
			if (Number.isInteger(limit) && limit > 0) return limit;
			throw new Problem('FIELD_INVALID', { field: 'limit', rule: 'limit' });
		},
		collection,
		body: (fields, ...collections) => {
			const added = collections.map(collection);
			const read = (name: string) =>
				collections.length ? added.find((one) => name in one)?.[name] : raw(name);
			const values = Object.keys(fields).map((name) => [name, read(name)] as const);
			return buildBody(values, fields, context.getTimezone());
		},
	};
}

/** Converts a value of the form into the shape that the service takes; throws Problem if it cannot. */
export type Parse = (value: unknown, field: string, timezone: string) => unknown;

function asExactText(value: unknown, field: string): string {
	refuseUnusable(value, field);
	if (typeof value === 'string' || typeof value === 'number') return String(value);
	throw new Problem('FIELD_INVALID', { field, rule: 'text' });
}

export const asText = (value: unknown, field: string): string => asExactText(value, field).trim();

/** A reference. macOS writes the letters and the accents of a folder's name apart (NFD); services and keyboards do not (NFC). */
export const asReference = (value: unknown, field: string): string =>
	asText(value, field).normalize('NFC');

/** The state of a switch, which an expression may give as text. */
export function asFlag(value: unknown, field: string): boolean {
	if (typeof value === 'boolean') return value;
	const chosen = requireText(value, field).toLowerCase();
	const choices = ['false', 'true'];
	if (choices.includes(chosen)) return chosen === 'true';
	throw new Problem('FIELD_NOT_CHOICE', { field, chosen, choices });
}

export const asDate: Parse = (value, field, timezone) => {
	const date = toUtc(value, timezone);
	if (date) return date;
	throw new Problem('FIELD_INVALID', { field, rule: 'date' });
};

/** A number, also one that is written as text; `NaN` for everything else. */
const readNumber = (value: unknown): number =>
	typeof value === 'string' || typeof value === 'number' ? Number(value) : NaN;

export const asNumber = (value: unknown, field: string): number => {
	const number = readNumber(value);
	if (Number.isFinite(number)) return number;
	throw new Problem('FIELD_INVALID', { field, rule: 'number' });
};

/** The identifier in a locator, or a plain one. It keeps the spaces at its ends: without them, it names another record. */
export function asId(value: unknown, field: string): string | undefined {
	const id = isLocator(value) ? value.value : value;
	if (isEmpty(id)) return undefined;
	const text = asExactText(id, field);
	// A URL cannot hold half of a surrogate pair.
	if (!/\p{Surrogate}/u.test(text)) return text;
	throw new Problem('FIELD_INVALID', { field, rule: 'characters' });
}

/** A word in a locator, such as the type of a dossier. */
export const asWord: Parse = (value, field) => asId(value, field)?.trim();

/** A list of identifiers, or text with commas between them. */
export const asIds = (value: unknown, field: string): string[] =>
	Array.isArray(value) ? value.flatMap((one) => asId(one, field) ?? []) : asList(value, field);

/**
 * A list of texts without empty ones: from an expression, from JSON, or from text with commas.
 *
 * @throws Problem for no value, or an entry that is not text
 */
export function asList(value: unknown, field: string): string[] {
	if (value === undefined || value === null) throw new Problem('FIELD_EMPTY', { field });
	const entries = listEntries(value, ',').filter((entry) => !isEmpty(entry));
	return entries.map((entry) => asText(entry, field));
}

/** One of the options of a field, by its value or its label in any spelling; throws Problem if the value is none of them. */
export function asChoice(value: unknown, choice: INodeProperties): string {
	const chosen = asText(value, choice.name);
	const found = findChoice(choice, chosen);
	if (found !== undefined) return found;
	const choices = listChoices(choice).map((one) => String(one.value));
	throw new Problem('FIELD_NOT_CHOICE', { field: choice.name, chosen, choices });
}

/** One of the options of a field, or another word as it is, since the service may have words of its own. */
export const asOpenChoice =
	(choice: INodeProperties): Parse =>
	(value, field) =>
		findChoice(choice, asText(value, field)) ?? asText(value, field);

/** A JSON object, typed as text, with numbers of any length, or given by an expression. */
export const asObject: Parse = (value, field) => {
	const parsed = typeof value === 'string' ? parseExact(value) : value;
	const plain = toPlainJson(parsed, field);
	if (isObject(plain)) return parsed === value ? plain : parsed;
	throw new Problem('FIELD_INVALID', { field, rule: 'object' });
};

/** Rows of a name and a value, as one object. A row without a value is left out, like any empty field. */
export const asRows: Parse = (given, field) => {
	const rows: unknown = isObject(given) ? (given.field ?? []) : undefined;
	if (!Array.isArray(rows) || !rows.every(isObject))
		throw new Problem('FIELD_INVALID', { field, rule: 'rows' });
	const filled = rows.filter(({ value }) => !isEmpty(value));
	if (filled.some(({ name }) => isEmpty(name)))
		throw new Problem('FIELD_INVALID', { field, rule: 'namedRows' });
	if (!filled.length) return undefined;
	return Object.fromEntries(
		filled.map(({ name, value }) => [asText(name, field), toPlainJson(value, field)]),
	);
};

/** How a field of the form is sent: under which key, with a dot for a nested one, and in which shape. */
export interface FieldMapping {
	/** Empty for an object whose fields go to the top of the body. */
	key: string;
	parse: Parse;
}

export const isEmpty = (value: unknown) =>
	value === undefined ||
	value === null ||
	(typeof value === 'string' && value.trim() === '') ||
	(Array.isArray(value) && value.length === 0);

function buildBody(
	values: Array<readonly [name: string, value: unknown]>,
	fields: Record<string, FieldMapping>,
	timezone: string,
): IDataObject {
	let body: IDataObject = {};
	for (const [name, given] of values) {
		const field = fields[name];
		if (!field || isEmpty(given)) continue;
		const value = field.parse(given, name, timezone) as IDataObject | undefined;
		if (isEmpty(value)) continue;
		const [outer = '', inner] = field.key.split('.');
		if (outer === '') body = mergeDeep(body, value ?? {});
		else if (inner) body[outer] = { ...(isObject(body[outer]) ? body[outer] : {}), [inner]: value };
		else body[outer] = value;
	}
	return body;
}
