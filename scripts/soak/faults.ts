import { CLOCK_SPEED } from './clock.ts';
import type { TroubleKind } from './plan.ts';

/** A fault as the control room of the sandbox takes it. */
export type FaultPlan = Record<string, string | number | Record<string, string>>;

/** The troubles that are a fault of some or all calls. */
export const FAULTS: Partial<Record<TroubleKind, FaultPlan>> = {
	errors: { status: 503, code: 'SERVICE_UNAVAILABLE', retry_after: '1', probability: 0.5 },
	outage: { status: 502, text: '<html><h1>502 Bad Gateway</h1></html>' },
	stalls: { delay_ms: 60_000 * CLOCK_SPEED, probability: 0.5 },
	'cut bodies': { body: 'truncated', probability: 0.5 },
	'lost answers': { connection: 'while', probability: 0.5 },
	limits: {
		status: 429,
		code: 'RATE_LIMITED',
		retry_after: '2',
		headers: { 'X-RateLimit-Remaining': '0' },
		probability: 0.6,
	},
};

/** The service calls one field otherwise, and ignores the old name in a dossier or refuses it in a document. */
export const OTHER_DIALECTS = [
	{ dossier: { fields: { description: 'remarks' } } },
	{ dossier: { fields: { title: 'subject' } } },
	{ strict: { bodies: true, queries: true }, document: { fields: { category: 'kind' } } },
] as const;
