import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { Problem } from '../api/problem';
import { isRecord, parseJson } from '../api/values';
import { toUtc } from './dates';

/** The form as it stands for one item. Every method throws Problem. */
export interface Parameters {
	/** A field that must not be empty. */
	text(name: string): string;
	/** The identifier that a locator holds, from its list or typed. */
	id(name: string): string;
	/** A field that holds a web address. */
	address(name: string): string;
	flag(name: string): boolean;
	/** What was chosen of a field's options. */
	choice(field: INodeProperties): string;
	/** How many records to give: `undefined` for all of them. */
	limit(): number | undefined;
	/** The fields that were added to a collection. */
	collection(name: string): IDataObject;
	/**
	 * What the service gets for some fields of the form: those of the collections, or of the form itself if none is named.
	 * A field left empty, or with nothing but spaces and commas, is not sent, so that an expression without a value never
	 * clears anything.
	 */
	body(fields: Record<string, FieldMapping>, ...collections: string[]): IDataObject;
	/** The value as the form or an expression gives it. */
	raw(name: string): unknown;
}

function requireText(value: unknown, field: string): string {
	if (typeof value === 'number') return String(value);
	if (typeof value === 'string' && value.trim()) return value.trim();
	throw isEmpty(value)
		? new Problem('FIELD_EMPTY', { field })
		: new Problem('FIELD_NOT_TEXT', { field });
}

/** What a locator holds: how the record is named, and its name. */
export interface Located {
	mode: string;
	value: unknown;
}

export const isLocator = (value: unknown): value is IDataObject & Located =>
	isRecord(value) && typeof value.mode === 'string' && 'value' in value;

/**
 * Reads the form as it stands for one item.
 *
 * @param located what stands for the values of some fields, by their names; for fields of a collection, `collection.field`
 */
export function readParameters(
	context: IExecuteFunctions,
	itemIndex: number,
	located: ReadonlyMap<string, unknown> = new Map(),
): Parameters {
	// n8n throws for a field that the form does not show now, unless there is something to give instead.
	const raw = (name: string): unknown =>
		located.get(name) ?? context.getNodeParameter(name, itemIndex, null);

	const collection = (name: string): IDataObject => {
		const value = raw(name);
		if (!isRecord(value)) return {};
		const fields = Object.entries(value).map(([inner, held]) => [
			inner,
			located.get(`${name}.${inner}`) ?? held,
		]);
		return Object.fromEntries(fields) as IDataObject;
	};

	return {
		raw,
		text: (name) => requireText(raw(name), name),
		id: (name) => {
			const value = raw(name);
			return requireText(isLocator(value) ? value.value : value, name);
		},
		address: (name) => {
			const address = requireText(raw(name), name);
			if (URL.canParse(address) && /^https?:/i.test(address)) return address;
			throw new Problem('FIELD_NOT_ADDRESS', { field: name });
		},
		flag: (name) => raw(name) === true,
		choice: (field) => asChoice(requireText(raw(field.name), field.name), field),
		limit: () => {
			if (raw('returnAll') === true) return undefined;
			const limit = Number(raw('limit'));
			if (Number.isInteger(limit) && limit > 0) return limit;
			throw new Problem('LIMIT_NOT_POSITIVE', { field: 'limit' });
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

/** Puts a value from the form into the shape that the service takes; throws Problem if it cannot. */
type Parse = (value: unknown, field: string, timezone: string) => unknown;

export function asText(value: unknown, field: string): string {
	if (typeof value === 'string' || typeof value === 'number') return String(value).trim();
	throw new Problem('FIELD_NOT_TEXT', { field });
}

export const asDate: Parse = (value, field, timezone) => {
	const date = toUtc(value, timezone);
	if (date) return date;
	throw new Problem('FIELD_NOT_DATE', { field });
};

export const asNumber: Parse = (value, field) => {
	const number = typeof value === 'string' ? Number(value) : value;
	if (typeof number === 'number' && Number.isFinite(number)) return number;
	throw new Problem('FIELD_NOT_NUMBER', { field });
};

/** The identifier in a locator that is a field of a collection, or an identifier as it stands. */
export const asId: Parse = (value, field) => {
	const id = isRecord(value) ? value.value : value;
	return isEmpty(id) ? undefined : asText(id, field);
};

/** The entries of a list, or of text with commas; those without a value are left out. */
export function splitList(value: unknown): string[] {
	const entries: unknown[] = Array.isArray(value) ? value : String(value).split(',');
	return entries.filter((entry) => !isEmpty(entry)).map((entry) => String(entry).trim());
}

/** A list of texts, from an expression or from text with commas. */
export function asList(value: unknown, field: string): string[] {
	const entries: unknown[] = Array.isArray(value) ? value : [value];
	for (const entry of entries) if (!isEmpty(entry)) asText(entry, field);
	return splitList(value);
}

/** One of the values that a field has to choose from. */
export function asChoice(value: unknown, { name: field, options = [] }: INodeProperties): string {
	const chosen = asText(value, field);
	const choices = options.flatMap((option) => ('value' in option ? [String(option.value)] : []));
	if (choices.includes(chosen)) return chosen;
	throw new Problem('FIELD_NOT_CHOICE', { field, chosen, choices });
}

/** A JSON object, typed as text or given by an expression. */
export const asObject: Parse = (value, field) => {
	const parsed = typeof value === 'string' ? parseJson(value) : value;
	if (isRecord(parsed)) return parsed;
	throw new Problem('FIELD_NOT_OBJECT', { field });
};

/** Rows of a name and a value as one object. A row without a value is left out, like any field left empty. */
export const asRows: Parse = (given, field) => {
	const rows: unknown = isRecord(given) ? (given.field ?? []) : undefined;
	if (!Array.isArray(rows) || !rows.every(isRecord)) throw new Problem('FIELD_NOT_ROWS', { field });
	const filled = rows.filter(({ value }) => !isEmpty(value));
	if (filled.some(({ name }) => isEmpty(name))) throw new Problem('ROW_NOT_NAMED', { field });
	if (!filled.length) return undefined;
	return Object.fromEntries(filled.map(({ name, value }) => [asText(name, field), value]));
};

/** How a field of the form is sent: under which key of the service (with dots for what is nested), in which shape. */
export interface FieldMapping {
	/** Empty for an object whose fields go to the top. */
	key: string;
	parse: Parse;
}

/**
 * Stops an update that changes nothing.
 *
 * @throws Problem
 */
export function requireChanges(changes: IDataObject): void {
	if (Object.keys(changes).length === 0)
		throw new Problem('NOTHING_TO_UPDATE', { field: 'fields' });
}

const isEmpty = (value: unknown) =>
	value === undefined ||
	value === null ||
	(typeof value === 'string' && value.trim() === '') ||
	(Array.isArray(value) && value.length === 0);

function buildBody(
	values: Array<readonly [name: string, value: unknown]>,
	fields: Record<string, FieldMapping>,
	timezone: string,
): IDataObject {
	const body: IDataObject = {};
	for (const [name, given] of values) {
		const field = fields[name];
		if (!field || isEmpty(given)) continue;
		const value = field.parse(given, name, timezone) as IDataObject | undefined;
		if (isEmpty(value)) continue;
		const [outer = '', inner] = field.key.split('.');
		if (outer === '') Object.assign(body, value);
		else if (inner) body[outer] = { ...(isRecord(body[outer]) ? body[outer] : {}), [inner]: value };
		else body[outer] = value;
	}
	return body;
}
