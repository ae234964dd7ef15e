import { isObject } from '../../../dialect/paths';
import { toText } from '../../../api/json';
import { isGood, isRefused } from './ask';
import type { Seen } from './ask';
import type { Check } from './notes';
import { flatten } from './places';

/** The longest part of a refusal that is shown, in letters. */
const LONGEST_SAID = 300;

/** What a service said when it refused what the check had written: with spaces to wrap at, without a key that it repeats. */
export function describeRefusal({ status, bytes }: Seen): string {
	const said = bytes
		.toString()
		.slice(0, LONGEST_SAID)
		.replace(/([:,])(?=["{[])/g, '$1 ');
	return `${status} ${said}`.replace(/sk_(live|test)_[^\s"'<]+/g, 'sk_…');
}

/** Whether a text is the name of a field, perhaps with a path before it: `/data/attributes/name`. */
const isName = (value: unknown, name: string) =>
	typeof value === 'string' &&
	`.${value.replace(/^[#/]+/, '').replaceAll('/', '.')}`.endsWith(`.${name}`);

const isSentence = (value: unknown) => typeof value === 'string' && value.trim().includes(' ');

/** Where the details of a refusal stand: a list or an object that holds the name of the field that was refused. */
export function learnDetails({ notes, draft }: Check, { body, status }: Seen, name: string): void {
	notes.note('A-19', undefined, `a refused field is ${status}`);
	for (const [path, value] of flatten(body)) {
		const entry: unknown = Array.isArray(value)
			? value.find((one) => flatten(one).some(([, text]) => isName(text, name)))
			: undefined;
		const isMap =
			isObject(value) &&
			Object.entries(value).some(
				([key, texts]) => isName(key, name) && Array.isArray(texts) && texts.every(isSentence),
			);
		if (isMap) {
			if (path !== 'error.details') draft.learn(['errors', 'details'], path);
			return notes.note('A-18', false, `messages by field in ${path}`);
		}
		if (entry === undefined) continue;
		const texts = flatten(entry).filter(([, text]) => typeof text === 'string');
		const field = texts.find(([, text]) => isName(text, name))?.[0] ?? '';
		const sentences = texts.filter(([, text]) => isSentence(text));
		const codes = texts.filter(([one, text]) => one !== field && !isSentence(text));
		const [message, code] = [sentences[0]?.[0], codes[0]?.[0]];
		const isUsual =
			path === 'error.details' && field === 'field' && message === 'message' && code === 'code';
		if (!isUsual) {
			draft.learn(['errors', 'details'], path);
			draft.learn(['errors', 'field'], field);
			if (message !== undefined && sentences.length === 1)
				draft.learn(['errors', 'message'], message);
			if (code !== undefined && codes.length === 1) draft.learn(['errors', 'code'], code);
		}
		return notes.note('A-18', isUsual, `a list in ${path}`);
	}
	notes.note('A-18', undefined, 'a refusal that does not name the field');
}

/** What an unknown record is answered with, and whether unknown parameters are refused. */
export async function learnRefusals({ asker, notes, draft }: Check): Promise<void> {
	const odd = await asker.ask('dossiers.list', { query: { check_contract: '1' } });
	if (isGood(odd) || isRefused(odd)) draft.learn(['strict', 'queries'], !isGood(odd));
	const absent = await asker.ask('dossiers.get', { id: 'check-contract-absent' });
	const error = isObject(absent?.body) && isObject(absent.body.error) ? absent.body.error : {};
	const code = toText(error.code);
	if (!absent || !code) return;
	const isUsual = absent.status === 404 && code === 'DOSSIER_NOT_FOUND';
	notes.note('A-20', isUsual ? undefined : false, `an unknown dossier is ${absent.status} ${code}`);
	const hasId = absent.headers['x-request-id'] !== undefined;
	notes.note('A-45', hasId || undefined, hasId ? 'X-Request-Id' : 'no X-Request-Id');
}

export async function learnHealth({ asker, notes }: Check): Promise<void> {
	const seen = await asker.ask('health.get');
	if (!seen) return;
	notes.note('A-01', isGood(seen) || undefined, `/api/v1/health answers ${seen.status}`);
	if (!isGood(seen)) return;
	const body = isObject(seen.body) ? seen.body : {};
	const isUsual = body.status === 'ok' && 'version' in body && 'time' in body;
	notes.note('A-36', isUsual, `the answer has ${Object.keys(body).join(', ')}`);
}

/** The header with the end of the window. One of another name only the reference tells. */
export function learnRateLimit({ asker: { headers }, notes }: Check): void {
	const isShown = headers['x-ratelimit-reset'] !== undefined;
	notes.note('A-24', isShown ? undefined : false, `${isShown ? '' : 'no '}X-RateLimit-Reset`);
	if (headers.deprecation ?? headers.sunset) notes.note('A-44', undefined, 'the version will end');
}
