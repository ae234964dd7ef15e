import { eventNames, listLeaves, payloads, recordKinds } from './canonical';
import { getPath, isWithin, quotePath } from './paths';
import type { Path } from './paths';
import type { Dialect } from './schema';
import { payloadField, serviceField } from './names';

/**
 * A part of a dialect that is wrong or contradicts another part: its path, what is wrong with it, and the path of the other
 * part.
 */
export type Clash = [path: Path, clause: string, other?: Path];

/** Finds fields or filters to which the dialect gives the same name, or the name of another field. */
function* findSharedNames(
	at: Path,
	given: Record<string, string | null> = {},
	resolve: (name: string) => string | null = () => null,
	others: readonly string[] = [],
): Generator<Clash> {
	const seen = new Map<string, Path>();
	for (const [name, theirs] of Object.entries(given)) {
		if (theirs === null) continue;
		const path = [...at, name];
		const twin = seen.get(theirs);
		seen.set(theirs, path);
		if (twin) yield [path, `and ${quotePath(twin)} have one name`, twin];
		const owner = others.find((other) => {
			if (other in given || isWithin(other, name) || isWithin(name, other)) return;
			const own = resolve(other);
			return own !== null && (isWithin(own, theirs) || isWithin(theirs, own));
		});
		if (!owner) continue;
		const ownerPath = [...at, owner];
		const own = owner === 'id' ? 'or remove this line' : 'or null if the service lacks it';
		const advice = `give ${quotePath(ownerPath)} another one, ${own}`;
		yield [path, `has the name of ${owner}: ${advice}`, ownerPath];
	}
}

function* findRecordClashes(dialect: Dialect): Generator<Clash> {
	for (const kind of recordKinds) {
		const { fields, sentAs, filters, values = {} } = dialect[kind] ?? {};
		if (fields?.id === null)
			yield [[kind, 'fields', 'id'], 'cannot be null: without it, no record is found again'];
		const resolve = (name: string) => serviceField(dialect, kind, name);
		yield* findSharedNames([kind, 'fields'], fields, resolve, listLeaves(kind));
		yield* findSharedNames([kind, 'sentAs'], sentAs);
		yield* findSharedNames([kind, 'filters'], filters);
		for (const [field, words] of Object.entries(values)) {
			const theirs = Object.values(words).map(String);
			const twice = theirs.find((word, at) => theirs.indexOf(word) !== at);
			if (twice !== undefined) yield [[kind, 'values', field], `has two values for "${twice}"`];
		}
	}
	for (const event of eventNames) {
		const resolve = (name: string) => payloadField(dialect, event, name);
		const at = ['payloads', event, 'fields'];
		yield* findSharedNames(at, dialect.payloads?.[event]?.fields, resolve, payloads[event]);
	}
}

/** The variables that each template may name, and the one that it must name. */
const TEMPLATES: ReadonlyArray<[path: string, variables: string[], needed?: string]> = [
	['record.envelope', ['kind', 'kinds']],
	['record.sendIn', ['kind', 'kinds']],
	['list.envelope', ['kind', 'kinds']],
	['signature.format', ['signature', 'timestamp'], 'signature'],
	['signature.content', ['body', 'timestamp', 'id', 'url'], 'body'],
];

function* findTemplateErrors(dialect: Dialect): Generator<Clash> {
	for (const [part, variables, needed] of TEMPLATES) {
		const template = getPath(dialect, part);
		const path = part.split('.');
		if (typeof template !== 'string') continue;
		const named = [...template.matchAll(/\{([^}]*)\}?/g)].map(([, name = '']) => name);
		const known = variables.map((name) => `{${name}}`).join(', ');
		for (const name of named.filter((one) => !variables.includes(one)))
			yield [path, `names {${name}}; it can name ${known}`];
		if (needed && !named.includes(needed)) yield [path, `must name {${needed}}`];
	}
}

/** Headers that the service's document gives another meaning. */
const GIVEN_HEADERS = /^(authorization|content-type|x-organization-id|x-ratelimit-remaining)$/i;

/** Paths that the service's document gives another meaning. */
const GIVEN_PATHS = /^\/v1\/(dossiers|documents|tasks|audit-log|portal\/(users|invite))(\/|$)/;

/** The parts of a dialect that name headers. */
const HEADER_PART = /^(limit|reset|retryAfter|\w*header)$/i;

const describeGiven = (name: string) =>
	`is ${name}, to which the service's document gives another meaning`;

function* findContradictions(dialect: Dialect): Generator<Clash> {
	for (const group of ['rateLimit', 'signature', 'workspace', 'idempotency'] as const) {
		const seen = new Map<string, Path>();
		for (const [part, name] of Object.entries(dialect[group] ?? {})) {
			if (typeof name !== 'string' || !HEADER_PART.test(part)) continue;
			const path = [group, part];
			if (GIVEN_HEADERS.test(name)) yield [path, describeGiven(name)];
			const twin = seen.get(name.toLowerCase());
			if (twin) yield [path, `and ${quotePath(twin)} have one name`];
			seen.set(name.toLowerCase(), path);
		}
	}
	const { path } = dialect.registration ?? {};
	if (path && GIVEN_PATHS.test(path)) yield [['registration', 'path'], describeGiven(path)];
	const { format, address } = dialect.upload ?? {};
	if ((format === 'separate') !== (address !== undefined))
		yield [['upload'], 'needs both format "separate" and address, or neither'];
}

/** Finds what contradicts another part or a given fact, in a dialect that follows the schema. */
export function* findClashes(dialect: Dialect): Generator<Clash> {
	yield* findRecordClashes(dialect);
	yield* findTemplateErrors(dialect);
	yield* findContradictions(dialect);
}
