import type { ContractOperation } from '../contract/contract.mts';
import { isObject, toText } from '../platform/json.mts';
import type { Json, JsonObject } from '../platform/json.mts';
import type { Dialect } from './dialect.mts';
import { findKind } from './fields.mts';
import { writePath } from './paths.mts';
import { Words } from './words.mts';

/** Writes an error, with its details at the path that the dialect names. `isMap`: by field, instead of a list. */
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
	for (const [index, detail] of details.filter(isObject).entries()) {
		const { field, message: sentence } = translated[index] ?? {};
		message = message.replace(toText(detail.message), () => toText(sentence));
		message = replaceWord(message, toText(detail.field), toText(field));
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
	const { upload = {}, list = {}, record = {} } = dialect;
	const ownPaths = [record.typeIn, record.idIn, upload.fieldsIn];
	const { sort, order } = list;
	const isParameter = (field: string): boolean =>
		operation?.parameters.some(({ name }) => name === field) === true &&
		!/^(per_)?page$/.test(field);
	const nameField = (field: string): string => {
		if (code === 'INVALID_PARAMETER') {
			if (field === 'sort') return sort ?? field;
			if (field === 'order') return order ?? field;
			return (isParameter(field) && words.findFilter(field)) || field;
		}
		return field === 'file' ? (upload.file ?? field) : words.findPath(field);
	};
	return (detail) => {
		const field = toText(detail.field);
		if (!operation || !findKind(operation)) return detail;
		// The dialect itself refused it under the service's own name.
		if (
			detail.code === 'unknown' ||
			ownPaths.includes(field) ||
			!/^[a-z_][a-z\d_]*(\.\w+)*$/.test(field)
		)
			return detail;
		const theirs = nameField(field);
		const nameWord = (word: string) =>
			field === 'sort' ? words.findPath(word) : toText(words.writeValue(field, word));
		const message = replaceChoices(
			replaceWord(toText(detail.message), field, theirs),
			field === 'order' ? (word) => word : nameWord,
		);
		return { ...detail, field: theirs, message };
	};
}

function replaceWord(text: string, word: string, by: string): string {
	const pattern = `(?<![\\w.])${word.replaceAll('.', '\\.')}(?!\\w)`;
	return word === by ? text : text.replaceAll(new RegExp(pattern, 'g'), () => by);
}

/** A sentence that lists what is allowed, with the service's own words. */
function replaceChoices(text: string, nameWord: (word: string) => string): string {
	const listed = /^Expected one of (.+)\.$/.exec(text)?.[1];
	if (listed === undefined) return text;
	return `Expected one of ${listed.split(', ').map(nameWord).join(', ')}.`;
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
