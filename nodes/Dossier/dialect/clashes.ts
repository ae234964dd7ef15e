import { canonical, eventNames, payloads, recordKinds } from './canonical';
import type { Dialect } from './schema';
import { payloadField, serviceField } from './translate';

type Path = string[];

/** A part of a dialect that contradicts another part, or a fact that is given. */
type Clash = [Path, string];

const quote = (path: Path) => `\`${path.join('.')}\``;

const findTwice = (names: string[]) => names.find((name, at) => names.indexOf(name) !== at);

/** Two filters or fields that the dialect gives one name, and a field that it gives the name of another. */
function* findSharedNames(
	at: Path,
	given: Record<string, string | null>,
	resolve: (name: string) => string,
	others: readonly string[],
): Generator<Clash> {
	const seen = new Map<string, string>();
	for (const [name, theirs] of Object.entries(given)) {
		if (theirs === null) continue;
		const path = [...at, name];
		const twin = seen.get(theirs);
		seen.set(theirs, name);
		if (twin) yield [path, `${quote(path)} and ${quote([...at, twin])} have one name`];
		const owner = others.find((other) => {
			if (other in given || other.startsWith(`${name}.`) || name.startsWith(`${other}.`)) return;
			const own = resolve(other);
			return own === theirs || own.startsWith(`${theirs}.`) || theirs.startsWith(`${own}.`);
		});
		if (owner)
			yield [path, `${quote(path)} has the name of ${owner}, which needs another one then`];
	}
}

/** The known fields without the objects that hold known fields, which move with each of them. */
const listLeaves = (fields: readonly string[]) =>
	fields.filter((field) => !fields.some((other) => other.startsWith(`${field}.`)));

function* findRecordClashes(dialect: Dialect): Generator<Clash> {
	for (const kind of recordKinds) {
		const { fields, filters, values = {}, readOnly = [] } = dialect[kind] ?? {};
		const known: readonly string[] = canonical[kind].fields;
		const resolve = (name: string) => serviceField(dialect, kind, name);
		yield* findSharedNames([kind, 'fields'], fields ?? {}, resolve, listLeaves(known));
		yield* findSharedNames([kind, 'filters'], filters ?? {}, resolve, []);
		for (const [field, words] of Object.entries(values)) {
			const twice = findTwice(Object.values(words).map(String));
			const path = [kind, 'values', field];
			if (twice !== undefined) yield [path, `${quote(path)} has two values for "${twice}"`];
		}
		for (const [at, field] of readOnly.entries()) {
			if (known.includes(field)) continue;
			const path = [kind, 'readOnly', String(at)];
			yield [path, `${quote(path)} is not a field of this package: ${field}`];
		}
	}
	for (const event of eventNames) {
		const { fields = {} } = dialect.payloads?.[event] ?? {};
		const resolve = (name: string) => payloadField(dialect, event, name);
		yield* findSharedNames(['payloads', event, 'fields'], fields, resolve, payloads[event]);
	}
}

/** The variables that each template has, and those that it cannot do without. */
const TEMPLATES: ReadonlyArray<[path: Path, variables: string[], needed: string[]]> = [
	[['record', 'envelope'], ['kind', 'kinds'], []],
	[['record', 'sendIn'], ['kind', 'kinds'], []],
	[['list', 'envelope'], ['kind', 'kinds'], []],
	[['signature', 'format'], ['signature', 'timestamp'], ['signature']],
	[['signature', 'content'], ['body', 'timestamp', 'id'], ['body']],
];

const readText = (dialect: Dialect, [part = '', name = '']: Path): string | undefined => {
	const inner: unknown = Object.entries(dialect).find(([one]) => one === part)?.[1];
	const found: unknown =
		typeof inner === 'object' && inner !== null
			? Object.entries(inner).find(([one]) => one === name)?.[1]
			: undefined;
	return typeof found === 'string' ? found : undefined;
};

function* findTemplateErrors(dialect: Dialect): Generator<Clash> {
	for (const [path, variables, needed] of TEMPLATES) {
		const template = readText(dialect, path);
		if (template === undefined) continue;
		const named = [...template.matchAll(/\{([^}]*)\}?/g)].map(([, name = '']) => name);
		const known = variables.map((name) => `{${name}}`).join(', ');
		for (const name of named) {
			if (!variables.includes(name))
				yield [path, `${quote(path)} names {${name}}; it can name ${known}`];
		}
		for (const name of needed) {
			if (!named.includes(name)) yield [path, `${quote(path)} must name {${name}}`];
		}
	}
}

const HEADERS: Path[] = [
	['rateLimit', 'limit'],
	['rateLimit', 'reset'],
	['rateLimit', 'retryAfter'],
	['signature', 'header'],
	['signature', 'timestampHeader'],
	['signature', 'idHeader'],
	['workspace', 'tenantHeader'],
	['workspace', 'businessUnitHeader'],
	['idempotency', 'header'],
];

/** Headers that the service's document gives another meaning. */
const GIVEN_HEADERS = /^(authorization|content-type|x-organization-id|x-ratelimit-remaining)$/i;

/** Paths that the service's document gives another meaning. */
const GIVEN_PATHS = /^\/v1\/(dossiers|documents|tasks|audit-log|portal\/(users|invite))(\/|$)/;

function* findContradictions(dialect: Dialect): Generator<Clash> {
	const seen = new Map<string, Path>();
	for (const path of HEADERS) {
		const name = readText(dialect, path);
		if (name === undefined) continue;
		if (GIVEN_HEADERS.test(name)) {
			yield [
				path,
				`${quote(path)} is ${name}, to which the service's document gives another meaning`,
			];
		}
		const key = `${path[0]} ${name.toLowerCase()}`;
		const twin = seen.get(key);
		if (twin) yield [path, `${quote(path)} and ${quote(twin)} have one name`];
		seen.set(key, path);
	}
	const { path } = dialect.registration ?? {};
	if (path && GIVEN_PATHS.test(path)) {
		const at = ['registration', 'path'];
		yield [at, `${quote(at)} is ${path}, to which the service's document gives another meaning`];
	}
}

/** What contradicts itself or a given fact in a dialect whose parts are all well-formed. */
export function* findClashes(dialect: Dialect): Generator<Clash> {
	yield* findRecordClashes(dialect);
	yield* findTemplateErrors(dialect);
	yield* findContradictions(dialect);
}
