/** Reads and changes JSON as text, so that all that is not changed stays as it came: digits, escapes, order, spaces. */
import { randomUUID } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../dialect/paths';
import type { Path, Value } from '../dialect/paths';
import { Problem } from '../problems/problem';
import { findTextEnd, keepLongNumbers, parseJson, trimJson } from './json';

/** A value as JSON text, which goes out as it is. Whoever parses it gets what JavaScript can hold of it. */
export class JsonText {
	constructor(readonly text: string) {}

	toJSON(): Value {
		return parseJson(this.text) as Value;
	}
}

/** Parses JSON, with each number that JavaScript cannot hold as a `JsonText`; `undefined` if it is not JSON. */
export function parseExact(text: string): unknown {
	const mark = randomUUID();
	try {
		return JSON.parse(
			keepLongNumbers(trimJson(text), (number) => mark + number),
			(_, value: unknown) =>
				typeof value === 'string' && value.startsWith(mark)
					? new JsonText(value.slice(mark.length))
					: value,
		);
	} catch {
		return undefined;
	}
}

/** Writes a value as JSON, with each `JsonText` in it as it is. */
export function writeJson(value: unknown): string {
	if (value instanceof JsonText) return value.text;
	if (Array.isArray(value)) return `[${value.map(writeJson).join()}]`;
	if (!isObject(value)) return JSON.stringify(value ?? null);
	const members = Object.entries(value).filter(([, held]) => held !== undefined);
	return `{${members.map(([name, held]) => `${JSON.stringify(name)}:${writeJson(held)}`).join()}}`;
}

/** A member of an object, by its positions in the text. */
interface Member {
	name: string;
	/** Where its name begins. */
	begin: number;
	/** Where its value begins, and where it ends. */
	value: number;
	end: number;
}

function skipSpace(text: string, from: number): number {
	let at = from;
	while (' \t\n\r'.includes(text[at] ?? '-')) at++;
	return at;
}

/** The end of the value that begins at a place in valid JSON. */
function findValueEnd(text: string, from: number): number {
	if (text[from] === '"') return findTextEnd(text, from);
	const delimiters = /["[\]{},\s]/g;
	let depth = 0;
	for (let at = from; at < text.length; ) {
		delimiters.lastIndex = at;
		const found = delimiters.exec(text);
		if (!found) return text.length;
		const [delimiter] = found;
		at = found.index + 1;
		if (delimiter === '"') at = findTextEnd(text, found.index);
		else if (delimiter === '{' || delimiter === '[') depth++;
		else if (delimiter === '}' || delimiter === ']') {
			depth--;
			// The bracket after a number or a word is not a part of it.
			if (depth < 1) return depth < 0 ? found.index : at;
		} else if (depth === 0) return found.index;
	}
	return text.length;
}

const isObjectText = (text: string | undefined) => text?.startsWith('{') === true;

/** The members of an object, in their order; of any other value, none. */
function listMembers(text: string): Member[] {
	const members: Member[] = [];
	if (!isObjectText(text)) return members;
	for (let begin = skipSpace(text, 1); text[begin] === '"'; ) {
		const nameEnd = findTextEnd(text, begin);
		const value = skipSpace(text, skipSpace(text, nameEnd) + 1);
		const end = findValueEnd(text, value);
		members.push({ name: String(JSON.parse(text.slice(begin, nameEnd))), begin, value, end });
		begin = skipSpace(text, skipSpace(text, end) + 1);
	}
	return members;
}

/** The values of a list in JSON, each as text. */
export function listItems(text: string): string[] {
	const items: string[] = [];
	for (let at = skipSpace(text, 1); at < text.length && text[at] !== ']'; ) {
		const end = findValueEnd(text, at);
		items.push(text.slice(at, end));
		at = skipSpace(text, skipSpace(text, end) + 1);
	}
	return items;
}

/** Of several members with one name, the last counts, as for JSON.parse. */
const findMember = (text: string, name: string) =>
	listMembers(text).findLast((one) => one.name === name);

/** The value at the end of some steps; `undefined` if there is none. */
export function getText(text: string, [name, ...rest]: Path): string | undefined {
	if (name === undefined) return text;
	const member = findMember(text, name);
	return member && getText(text.slice(member.value, member.end), rest);
}

/** The steps of a path with dots through an object, in which a name may have dots itself. */
export function findSteps(text: string, path: string): Path {
	const [name = '', ...rest] = path.split('.');
	if (!rest.length || findMember(text, path)) return [path];
	return [name, ...findSteps(getText(text, [name]) ?? '{}', rest.join('.'))];
}

/** Whether a value is empty. Some services write an empty object as an empty list. */
export const isEmptyText = (text: string) => /^(null|""|\{\s*\}|\[\s*\])$/.test(text);

/**
 * The object at a path, to which members are to be added.
 *
 * @throws Problem if it holds something else, which would be lost
 */
function openObject(text: string, path: Path): string {
	if (isObjectText(text)) return text;
	if (isEmptyText(text)) return '{}';
	const found = text.startsWith('[') ? 'list' : 'value';
	throw new Problem('PART_NOT_CHANGEABLE', { field: path.join('.'), found });
}

/**
 * Sets the value at the end of some steps, and adds the objects on the way that are not there.
 *
 * @param path of the text itself
 * @throws Problem if there is something else on the way
 */
export function setText(
	text: string,
	[name = '', ...rest]: Path,
	value: string,
	path: Path = [],
): string {
	const object = openObject(text, path);
	const member = findMember(object, name);
	const held = member ? object.slice(member.value, member.end) : '{}';
	const inner = rest.length ? setText(held, rest, value, [...path, name]) : value;
	if (member) return object.slice(0, member.value) + inner + object.slice(member.end);
	const added = `${JSON.stringify(name)}:${inner}`;
	const last = listMembers(object).at(-1);
	return last ? `${object.slice(0, last.end)},${added}${object.slice(last.end)}` : `{${added}}`;
}

/** Removes all members with the name at the end of some steps, and objects on the way that become empty. */
export function removeText(text: string, [name = '', ...rest]: Path): string {
	const members = listMembers(text);
	const at = members.findLastIndex((one) => one.name === name);
	const member = members[at];
	if (!member) return text;
	if (rest.length) {
		const inner = text.slice(member.value, member.end);
		const left = removeText(inner, rest);
		if (left === inner) return text;
		if (listMembers(left).length)
			return text.slice(0, member.value) + left + text.slice(member.end);
	}
	const before = members[at - 1]?.end ?? member.begin;
	const after = at > 0 ? member.end : (members[1]?.begin ?? member.end);
	return removeText(text.slice(0, before) + text.slice(after), [name, ...rest]);
}

/**
 * Sets the values of an object in a JSON object, also those of objects in both. A value that is equal to the one that is
 * there leaves the text as it is.
 *
 * @param path of the text itself
 * @throws Problem if an object would take the place of something else
 */
export function mergeText(text: string, changes: IDataObject, path: Path = []): string {
	let merged = openObject(text, path);
	for (const [name, value] of Object.entries(changes)) {
		if (value === undefined) continue;
		const held = getText(merged, [name]);
		const isEqual = held !== undefined && JSON.stringify(parseJson(held)) === JSON.stringify(value);
		const isInner = isObject(value) && !(value instanceof JsonText) && held !== undefined;
		if (isEqual) continue;
		const set = isInner ? mergeText(held, value, [...path, name]) : writeJson(value);
		merged = setText(merged, [name], set);
	}
	return merged;
}
