import type { ContractOperation } from '../contract/contract.ts';
import { isObject, toText } from '../platform/json.ts';
import type { Json, JsonObject } from '../platform/json.ts';
import type { Dialect } from './dialect.ts';
import { findKind } from './fields.ts';
import { writePath } from './paths.ts';
import { Words } from './words.ts';

/** An error with its details where the dialect has them. `isMap`: by field, instead of a list. */
export function writeError(
	given: JsonObject,
	{
		dialect,
		operation,
		isMap,
	}: { dialect: Dialect; operation: ContractOperation | undefined; isMap: boolean },
): JsonObject {
	if (!isObject(given.error)) return given;
	const { details, ...error } = given.error;
	const body: JsonObject = { error };
	if (!Array.isArray(details)) return body;
	const translate = createTranslator(dialect, operation, toText(error.code));
	const translated = details.filter(isObject).map((detail) => translate(detail));
	let message = toText(error.message);
	for (const [index, { field }] of details.filter(isObject).entries()) {
		message = replaceWord(message, toText(field), toText(translated[index]?.field));
	}
	error.message = message;
	const { details: path = 'error.details', ...names } = dialect.errors ?? {};
	writePath(body, path, isMap ? groupByField(translated) : nameParts(translated, names));
	return body;
}

type Translate = (detail: JsonObject) => JsonObject;

/** Details name parameters of the address in one kind of refusal, and fields of the body in the others. */
function createTranslator(
	dialect: Dialect,
	operation: ContractOperation | undefined,
	code: string,
): Translate {
	const words = new Words(dialect, operation && findKind(operation));
	const { upload = {} } = dialect;
	const nameField = (field: string): string => {
		if (code === 'INVALID_PARAMETER') return words.findFilter(field) ?? field;
		return field === 'file' ? (upload.file ?? field) : words.findPath(field);
	};
	return (detail) => {
		const field = toText(detail.field);
		if (!operation || !findKind(operation)) return detail;
		// The dialect itself refused it under the service's own name.
		if (detail.code === 'unknown' || !/^[a-z_]+(\.\w+)*$/.test(field)) return detail;
		const theirs = nameField(field);
		const message = replaceWord(toText(detail.message), field, theirs);
		return { ...detail, field: theirs, message };
	};
}

function replaceWord(text: string, word: string, by: string): string {
	const pattern = `(?<![\\w.])${word.replaceAll('.', '\\.')}(?!\\w)`;
	return word === by ? text : text.replaceAll(new RegExp(pattern, 'g'), () => by);
}

function nameParts(
	details: JsonObject[],
	{ field = 'field', message = 'message', code = 'code' }: NonNullable<Dialect['errors']>,
): Json[] {
	return details.map((detail) => {
		const named: JsonObject = {};
		writePath(named, code, detail.code ?? null);
		writePath(named, message, detail.message ?? null);
		writePath(named, field, detail.field ?? null);
		return named;
	});
}

function groupByField(details: JsonObject[]): JsonObject {
	const groups = Object.groupBy(details, ({ field }) => toText(field));
	return Object.fromEntries(
		Object.entries(groups).map(([field, rules]) => [
			field,
			(rules ?? []).map(({ message }) => message ?? null),
		]),
	);
}
