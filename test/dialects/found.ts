/** What Service → Check Contract finds out about a drawn service. */
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { toText } from '../../nodes/Dossier/api/values';
import { runDossier } from '../integration/n8n';
import type { DrawnService } from './generator';

/** The assumptions of docs/contract.md that parts of a dialect contradict. */
const CONTRADICTED: ReadonlyArray<readonly [part: RegExp, assumption: string]> = [
	[/^switches\.ids/, 'A-02'],
	[/^naming/, 'A-03'],
	[/^naming|^dossier\.fields/, 'A-04'],
	[/^dossier\.values/, 'A-05'],
	[/^naming|^document\.fields/, 'A-06'],
	[/^document\.values/, 'A-07'],
	[/^naming|^portalUser\.(fields|values)/, 'A-08'],
	[/^naming|^task\.(fields|values)/, 'A-09'],
	[/^naming|^auditEntry\.(fields|values)/, 'A-10'],
	[/^upload/, 'A-11'],
	[/^download\.answer/, 'A-12'],
	[/^record|^switches\.deleteAnswer/, 'A-13'],
	[/^list\.(envelope|style|page|offset|cursor|size|firstPage|next|total)/, 'A-14'],
	[/^list\.(sort|order)|\.filters/, 'A-15'],
	[/^switches\.put/, 'A-16'],
	[/^errors|^switches\.details/, 'A-18'],
	[/^rateLimit/, 'A-24'],
	[/^registration|^webhook/, 'A-38'],
	[/^signature/, 'A-39'],
	[/^idempotency/, 'A-43'],
];

/** Parts that say what the contract assumes anyway. */
const USUAL =
	/^naming snake_case$|^list\.(envelope data|style page|page page|firstPage 1|size per_page|sort sort|order order)$|^upload\.file file$|^download\.answer bytes$|^errors\.(field field|message message|code code)$|^rateLimit\.(resetUnit epochSeconds|retryAfter Retry-After|retryAfterUnit seconds)$|^registration\.secret given$|^idempotency\.(supported true|header Idempotency-Key)$|^switches\.(ids prefixed|deleteAnswer body|put replaces|details list)$/;

function* listParts(value: unknown, path: string): Generator<string> {
	if (typeof value !== 'object' || value === null) return yield `${path} ${String(value)}`;
	for (const [name, inner] of Object.entries(value)) {
		yield* listParts(inner, path ? `${path}.${name}` : name);
	}
}

/** The assumptions that do not hold for a drawn service. */
function findContradicted({ dialect, switches }: DrawnService): string[] {
	const parts = [...listParts(dialect, ''), ...listParts(switches, 'switches')];
	const unusual = parts.filter((part) => !USUAL.test(part));
	return CONTRADICTED.filter(([pattern]) => unusual.some((part) => pattern.test(part))).map(
		([, assumption]) => assumption,
	);
}

/**
 * What no request of the check can show, because it registers no address, invites nobody and has no workspace token: the
 * job with the dialect found gets these parts as they are.
 */
const GIVEN = [
	'registration',
	'webhook',
	'signature',
	'payloads',
	'portalUser',
	'invitation',
	'tenant',
	'workspace',
] as const;

function addGiven(found: string, { dialect }: DrawnService): string {
	const complete = JSON.parse(found || '{}') as Record<string, unknown>;
	for (const part of GIVEN) {
		if (dialect[part] === undefined) delete complete[part];
		else complete[part] = dialect[part];
	}
	return JSON.stringify(complete);
}

/** The dialect that the check finds, with the parts that it cannot see, and the assumptions that it wrongly says to hold. */
export async function findOut(drawn: DrawnService, credential: ICredentialDataDecryptedObject) {
	const { items, error } = await runDossier({
		parameters: { resource: 'service', operation: 'checkContract', tryWriting: true },
		credential,
	});
	// A check that ends without a report has found nothing, and claims nothing.
	if (error) return { dialect: '', wrong: [], requests: 0, left: '' };
	const outputs = items.map(({ json }) => json);
	const holding = outputs.filter(({ verdict }) => verdict === 'holds');
	const contradicted = findContradicted(drawn);
	return {
		dialect: addGiven(toText(outputs.at(-1)?.dialect) ?? '', drawn),
		requests: Number(outputs.at(-1)?.requests),
		left: toText(outputs.at(-1)?.left) ?? '',
		wrong: holding
			.map(({ assumption }) => toText(assumption) ?? '')
			.filter((assumption) => contradicted.includes(assumption)),
	};
}
