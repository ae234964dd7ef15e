import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { isRecord, parseJson } from '../api/values';
import { toUtc } from './dates';

/** Something in the form that cannot be used: what it is, and what to enter instead. */
export class InputError extends Error {
	readonly hint: string;

	constructor(message: string, hint: string) {
		super(message);
		this.name = 'InputError';
		this.hint = hint;
	}
}

const EXPRESSION_HINT = 'If it holds an expression, check that the item has the field it names.';

/** The form of one item. Labels are the names that the form shows; every method throws InputError. */
export interface Parameters {
	/** A field that must not be empty. */
	text(name: string, label: string): string;
	/** The identifier that a locator holds, from its list or typed. */
	id(name: string, label: string): string;
	/** A field that holds a web address. */
	address(name: string, label: string): string;
	flag(name: string): boolean;
	/** How many records to give: `undefined` for all of them. */
	limit(): number | undefined;
	/** The fields that were added to a collection. */
	collection(name: string): IDataObject;
	/** The value as the form or an expression gives it. */
	raw(name: string): unknown;
	/** The timezone of the workflow, by which dates without an offset are read. */
	readonly timezone: string;
}

/** Reads the form as it stands for one item. */
export function parametersOf(context: IExecuteFunctions, itemIndex: number): Parameters {
	// n8n throws for a field that the form does not show now, unless there is something to give instead.
	const raw = (name: string): unknown => context.getNodeParameter(name, itemIndex, null);

	const requireText = (value: unknown, label: string): string => {
		if (typeof value === 'number') return String(value);
		if (typeof value === 'string' && value.trim()) return value.trim();
		throw value === undefined || value === null || value === ''
			? new InputError(`${label} is empty`, `Enter it. ${EXPRESSION_HINT}`)
			: new InputError(`${label} is not text`, EXPRESSION_HINT);
	};

	return {
		timezone: context.getTimezone(),
		raw,
		text: (name, label) => requireText(raw(name), label),
		id: (name, label) =>
			requireText(context.getNodeParameter(name, itemIndex, null, { extractValue: true }), label),
		address: (name, label) => {
			const address = requireText(raw(name), label);
			if (URL.canParse(address) && /^https?:/i.test(address)) return address;
			throw new InputError(
				`${label} is not a web address`,
				'Enter it in full, e.g. https://example.com/file.pdf',
			);
		},
		flag: (name) => raw(name) === true,
		limit: () => {
			if (raw('returnAll') === true) return undefined;
			const limit = Number(raw('limit'));
			if (Number.isInteger(limit) && limit > 0) return limit;
			throw new InputError('Limit is not a whole number above 0', 'Enter a number, e.g. 50.');
		},
		collection: (name) => {
			const value = raw(name);
			return isRecord(value) ? value : {};
		},
	};
}

/** Puts a value from the form into the shape that the service takes. */
export type Reader = (value: unknown, label: string, timezone: string) => unknown;

export const asText: Reader = (value, label) => {
	if (typeof value === 'string' || typeof value === 'number') return String(value).trim();
	throw new InputError(`${label} is not text`, EXPRESSION_HINT);
};

export const asDate: Reader = (value, label, timezone) => {
	const date = toUtc(value, timezone);
	if (date) return date;
	throw new InputError(
		`${label} is not a date`,
		'Enter a date and time, e.g. 2026-03-31T12:00:00Z.',
	);
};

export const asNumber: Reader = (value, label) => {
	const number = typeof value === 'string' ? Number(value) : value;
	if (typeof number === 'number' && Number.isFinite(number)) return number;
	throw new InputError(`${label} is not a number`, 'Enter a number, e.g. 14.');
};

/** The identifier in a locator that is a field of a collection, or an identifier as it stands. */
export const asId: Reader = (value, label) => {
	const id = isRecord(value) ? value.value : value;
	return id === '' || id === null || id === undefined ? undefined : asText(id, label, '');
};

/** A list, from an expression or from text with commas. */
export const asList: Reader = (value) =>
	(Array.isArray(value) ? value : String(value).split(','))
		.map((entry) => String(entry).trim())
		.filter(Boolean);

/** A JSON object, typed as text or given by an expression. */
export const asObject: Reader = (value, label) => {
	const parsed = typeof value === 'string' ? parseJson(value) : value;
	if (isRecord(parsed)) return parsed;
	throw new InputError(
		`${label} is not a JSON object`,
		'Enter names and values in braces, e.g. {"cost_centre": "4711"}.',
	);
};

/** How one form field is written: under which name of the service (with dots for what is nested), and in which shape. */
export interface Written {
	as: string;
	label: string;
	read: Reader;
}

/** Throws InputError where there is nothing to change. */
export function requireChanges(changes: IDataObject): void {
	if (Object.keys(changes).length) return;
	throw new InputError(
		'There is nothing to update',
		'Add a field under Fields to Update, or check that its expression gives a value.',
	);
}

const isEmpty = (value: unknown) => value === undefined || value === null || value === '';

/**
 * The body that a collection of form fields stands for. Fields left empty are not sent, so that an expression without
 * a value never clears anything.
 *
 * @throws InputError
 */
export function bodyOf(
	values: IDataObject,
	fields: Record<string, Written>,
	timezone: string,
): IDataObject {
	const body: IDataObject = {};
	for (const [name, { as, label, read }] of Object.entries(fields)) {
		if (isEmpty(values[name])) continue;
		const value = read(values[name], label, timezone) as IDataObject | undefined;
		if (value === undefined) continue;
		const [outer = as, inner] = as.split('.');
		if (outer === '') Object.assign(body, value);
		else if (inner) body[outer] = { ...(isRecord(body[outer]) ? body[outer] : {}), [inner]: value };
		else body[outer] = value;
	}
	return body;
}
