import { eventNames, listLeaves, payloads, recordKinds } from './canonical';
import { getPath, quotePath } from './paths';
import type { Path } from './paths';
import type { Dialect } from './schema';
import { payloadField, serviceField } from './names';

/** A part of a dialect that contradicts another part or a given fact: its path, a clause, and the path of the other part. */
export type Clash = [Path, string, Path?];

const findTwice = (names: string[]) => names.find((name, at) => names.indexOf(name) !== at);

/** Finds fields or filters to which the dialect gives the same name, or the name of another field. */
function* findSharedNames(
	at: Path,
	given: Record<string, string | null>,
	resolve: (name: string) => string | null,
	others: readonly string[],
): Generator<Clash> {
	const seen = new Map<string, Path>();
	for (const [name, theirs] of Object.entries(given)) {
		if (theirs === null) continue;
		const path = [...at, name];
		const twin = seen.get(theirs);
		seen.set(theirs, path);
		if (twin) yield [path, `${quotePath(path)} and ${quotePath(twin)} have one name`, twin];
		const owner = others.find((other) => {
			if (other in given || other.startsWith(`${name}.`) || name.startsWith(`${other}.`)) return;
			const own = resolve(other);
			if (own === null) return false;
			return own === theirs || own.startsWith(`${theirs}.`) || theirs.startsWith(`${own}.`);
		});
		if (owner)
			yield [
				path,
				`${quotePath(path)} has the name of ${owner}: give ${quotePath([...at, owner])} another one, or null if the service lacks it`,
				[...at, owner],
			];
	}
}

function* findRecordClashes(dialect: Dialect): Generator<Clash> {
	for (const kind of recordKinds) {
		const { fields, sentAs, filters, values = {} } = dialect[kind] ?? {};
		if (fields?.id === null)
			yield [
				[kind, 'fields', 'id'],
				`${quotePath([kind, 'fields', 'id'])} cannot be null: without it, no record is found again`,
			];
		const resolve = (name: string) => serviceField(dialect, kind, name);
		yield* findSharedNames([kind, 'fields'], fields ?? {}, resolve, listLeaves(kind));
		yield* findSharedNames([kind, 'sentAs'], sentAs ?? {}, resolve, []);
		yield* findSharedNames([kind, 'filters'], filters ?? {}, resolve, []);
		for (const [field, words] of Object.entries(values)) {
			const twice = findTwice(Object.values(words).map(String));
			const path = [kind, 'values', field];
			if (twice !== undefined) yield [path, `${quotePath(path)} has two values for "${twice}"`];
		}
	}
	for (const event of eventNames) {
		const { fields = {} } = dialect.payloads?.[event] ?? {};
		const resolve = (name: string) => payloadField(dialect, event, name);
		yield* findSharedNames(['payloads', event, 'fields'], fields, resolve, payloads[event]);
	}
}

/** The variables that each template may name, and those that it must name. */
const TEMPLATES: ReadonlyArray<[path: Path, variables: string[], needed: string[]]> = [
	[['record', 'envelope'], ['kind', 'kinds'], []],
	[['record', 'sendIn'], ['kind', 'kinds'], []],
	[['list', 'envelope'], ['kind', 'kinds'], []],
	[['signature', 'format'], ['signature', 'timestamp'], ['signature']],
	[['signature', 'content'], ['body', 'timestamp', 'id', 'url'], ['body']],
];

function* findTemplateErrors(dialect: Dialect): Generator<Clash> {
	for (const [path, variables, needed] of TEMPLATES) {
		const template = getPath(dialect, path.join('.'));
		if (typeof template !== 'string') continue;
		const named = [...template.matchAll(/\{([^}]*)\}?/g)].map(([, name = '']) => name);
		const known = variables.map((name) => `{${name}}`).join(', ');
		for (const name of named) {
			if (!variables.includes(name))
				yield [path, `${quotePath(path)} names {${name}}; it can name ${known}`];
		}
		for (const name of needed) {
			if (!named.includes(name)) yield [path, `${quotePath(path)} must name {${name}}`];
		}
	}
}

/** Headers that the service's document gives another meaning. */
const GIVEN_HEADERS = /^(authorization|content-type|x-organization-id|x-ratelimit-remaining)$/i;

/** Paths that the service's document gives another meaning. */
const GIVEN_PATHS = /^\/v1\/(dossiers|documents|tasks|audit-log|portal\/(users|invite))(\/|$)/;

/** The parts of a dialect that name headers. */
const HEADER_PART = /^(limit|reset|retryAfter|\w*header)$/i;

const describeGiven = (path: Path, name: string) =>
	`${quotePath(path)} is ${name}, to which the service's document gives another meaning`;

function* findContradictions(dialect: Dialect): Generator<Clash> {
	for (const group of ['rateLimit', 'signature', 'workspace', 'idempotency'] as const) {
		const seen = new Map<string, Path>();
		for (const [part, name] of Object.entries(dialect[group] ?? {})) {
			if (typeof name !== 'string' || !HEADER_PART.test(part)) continue;
			const path = [group, part];
			if (GIVEN_HEADERS.test(name)) yield [path, describeGiven(path, name)];
			const twin = seen.get(name.toLowerCase());
			if (twin) yield [path, `${quotePath(path)} and ${quotePath(twin)} have one name`];
			seen.set(name.toLowerCase(), path);
		}
	}
	const { path } = dialect.registration ?? {};
	const at = ['registration', 'path'];
	if (path && GIVEN_PATHS.test(path)) yield [at, describeGiven(at, path)];
}

/** Finds what contradicts another part or a given fact, in a dialect that follows the schema. */
export function* findClashes(dialect: Dialect): Generator<Clash> {
	yield* findRecordClashes(dialect);
	yield* findTemplateErrors(dialect);
	yield* findContradictions(dialect);
}
