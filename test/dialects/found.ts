/** What Service → Check Contract finds out about a drawn service, in as many runs as a person needs. */
import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import { toText } from '../../nodes/Dossier/api/json';
import { runDossier } from '../integration/n8n';
import type { DrawnService } from './generator';

type Parts = Record<string, unknown>;

/** The assumptions of docs/contract.md that parts of a dialect contradict. */
const CONTRADICTED: ReadonlyArray<readonly [part: RegExp, assumption: string]> = [
	[/^switches\.ids/, 'A-02'],
	[/^(naming|times)/, 'A-03'],
	[/^naming|^dossier\.fields/, 'A-04'],
	[/^dossier\.values/, 'A-05'],
	[/^naming|^document\.fields/, 'A-06'],
	[/^document\.values/, 'A-07'],
	[/^naming|^portalUser\.(fields|values)/, 'A-08'],
	[/^naming|^task\.(fields|values)/, 'A-09'],
	[/^naming|^auditEntry\.(fields|values)/, 'A-10'],
	[/^upload/, 'A-11'],
	[/^download\.answer/, 'A-12'],
	[/^record\.(envelope|attributes)|^switches\.deleteAnswer/, 'A-13'],
	[/^list\.(envelope|style|page|offset|cursor|size|firstPage|next|total)/, 'A-14'],
	[/^list\.(sort|order)|\.filters/, 'A-15'],
	[/^switches\.put/, 'A-16'],
	[/^errors|^switches\.details/, 'A-18'],
	[/^rateLimit/, 'A-24'],
	[/^list\.largestSize/, 'A-26'],
	[/^registration|^webhook/, 'A-38'],
	[/^signature/, 'A-39'],
	[/^idempotency/, 'A-43'],
];

/** Parts that say what the contract assumes anyway. */
const USUAL =
	/^naming snake_case$|^times iso$|^strict\.\w+ false$|^list\.(envelope data|style page|page page|offset offset|cursor cursor|firstPage 1|size per_page|largestSize 100|sort sort|order order)$|^upload\.file file$|^download\.answer bytes$|^errors\.(details error\.details|field field|message message|code code)$|^rateLimit\.(limit X-RateLimit-Limit|reset X-RateLimit-Reset|resetUnit epochSeconds|retryAfter Retry-After|retryAfterUnit seconds)$|^registration\.(secret given|path \/v1\/webhooks)$|^idempotency\.(supported true|header Idempotency-Key)$|^switches\.(ids prefixed|deleteAnswer body|put replaces|details list)$/;

const isParts = (value: unknown): value is Parts =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

function* listParts(value: unknown, path: string): Generator<string> {
	if (!isParts(value)) return yield `${path} ${String(value)}`;
	for (const [name, inner] of Object.entries(value)) {
		yield* listParts(inner, path ? `${path}.${name}` : name);
	}
}

const listUnusual = (value: unknown, path = '') =>
	[...listParts(value, path)].filter((part) => !USUAL.test(part));

/** What is about structure: everything but names and words of records, and what no request of the check can show. */
const STRUCTURE = /^(naming|times|strict|record|list(?!\.(sort|order))|upload|download|errors)\b/;

/** The parts that no request of the check can show: it registers no address, invites nobody, and has no workspace token. */
const UNSEEN = [
	'registration',
	'webhook',
	'signature',
	'payloads',
	'portalUser',
	'invitation',
	'tenant',
	'workspace',
	'rateLimit',
] as const;

/** The kinds of record whose names a person looks up in the reference. */
const NAMED = ['dossier', 'document', 'task', 'auditEntry'] as const;

const readPart = (value: unknown, path: string): unknown => {
	const [name = '', ...rest] = path.split('.');
	const inner = isParts(value) ? value[name] : undefined;
	return rest.length ? readPart(inner, rest.join('.')) : inner;
};

/** Answers every question as a person with the reference at hand does: with what was drawn, or by removing the line. */
function fillIn(found: Parts, { dialect }: DrawnService, asked: readonly string[]): Parts {
	const filled = structuredClone(found);
	for (const path of asked.filter((one) => /^(naming|record|list|upload|rateLimit)/.test(one))) {
		const [group = '', part] = path.split('.');
		const answer = readPart(dialect, path);
		const own = part === undefined ? filled : (filled[group] as Parts);
		own[part ?? group] = answer;
		// The style of pages comes with the names of its parameters.
		if (path === 'list.style') filled.list = { ...own, ...dialect.list };
	}
	for (const kind of NAMED) {
		const own = Object.entries((filled[kind] ?? {}) as Parts).filter(
			([, one]) => !JSON.stringify(one).includes('"?"'),
		);
		filled[kind] = { ...Object.fromEntries(own), ...dialect[kind] };
	}
	for (const part of UNSEEN) filled[part] = dialect[part];
	return JSON.parse(JSON.stringify(filled)) as Parts;
}

/** How many times a person runs the check. */
const RUNS = 3;

interface Found {
	/** The dialect of the last run, with the parts that the check cannot see. */
	dialect: string;
	/** The assumptions that it wrongly says to hold or to differ. */
	wrong: string[];
	/** The parts about structure that it neither found nor asked for. */
	missed: string[];
	/** How many parts about structure it found by itself, and how many it asked for. */
	proven: number;
	asked: number;
	requests: number[];
	left: string;
}

/** The dialect that the check finds if a person answers its questions. */
export async function findOut(
	drawn: DrawnService,
	credential: ICredentialDataDecryptedObject,
): Promise<Found> {
	const unusual = [...listUnusual(drawn.dialect), ...listUnusual(drawn.switches, 'switches')];
	const contradicted = CONTRADICTED.filter(([pattern]) =>
		unusual.some((part) => pattern.test(part)),
	).map(([, assumption]) => assumption);
	const wrong = new Set<string>();
	const asked = new Set<string>();
	const requests: number[] = [];
	const left: string[] = [];
	let dialect: Parts = {};
	for (let run = 1; run <= RUNS; run++) {
		const { items, error } = await runDossier({
			parameters: { resource: 'service', operation: 'checkContract', tryWriting: true },
			credential: { ...credential, contractOverrides: true, dialect: JSON.stringify(dialect) },
		});
		if (error) {
			wrong.add(`run ${run}: ${error.message} ${error.description ?? ''}`);
			break;
		}
		const outputs = items.map(({ json }) => json);
		for (const { assumption, verdict, seen } of outputs) {
			const isContradicted = contradicted.includes(toText(assumption) ?? '');
			const isJudged = CONTRADICTED.some(([, one]) => one === assumption);
			const isWrong = isContradicted ? verdict === 'holds' : isJudged && verdict === 'differs';
			if (isWrong)
				wrong.add(`run ${run}: ${toText(assumption)} ${toText(verdict)}: ${toText(seen)}`);
		}
		const last = outputs.at(-1) ?? {};
		requests.push(Number(last.requests));
		if (last.left) left.push(toText(last.left) ?? '');
		const open = (last.questions as IDataObject[]).map(({ path }) => toText(path) ?? '');
		for (const path of open) asked.add(path);
		const found = JSON.parse(toText(last.dialect) ?? '{}') as Parts;
		if (process.env.DIALECT_SHOW)
			process.stdout.write(`run ${run}: ${JSON.stringify(found)}\n${toText(last.page)}\n`);
		dialect = fillIn(found, drawn, open);
	}
	// Messages by field have no names of their own.
	const isMap = drawn.switches.details === 'map';
	const isUsed = (part: string) =>
		STRUCTURE.test(part) && !(isMap && /^errors\.(field|message|code)/.test(part));
	const structure = listUnusual(drawn.dialect).filter(isUsed);
	const parts = listUnusual(dialect);
	const isAsked = (part: string) =>
		[...asked].some(
			(path) => part.startsWith(`${path} `) || (path === 'list.style' && part.startsWith('list.')),
		);
	const missed = structure.filter((part) => !parts.includes(part));
	return {
		dialect: JSON.stringify(dialect),
		wrong: [...wrong],
		missed,
		proven: structure.filter((part) => !missed.includes(part) && !isAsked(part)).length,
		asked: structure.filter(isAsked).length,
		requests,
		left: left.join(', '),
	};
}
