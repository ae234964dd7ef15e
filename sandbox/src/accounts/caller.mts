import type { IncomingMessage } from 'node:http';
import type { components } from '../../../contract/generated/types.mts';
import type { Row } from '../database/database.mts';

/** `starter` represents every plan below Business. */
export type Plan = 'starter' | 'business' | 'enterprise';

/** How many requests an organization may send. */
export interface Limits {
	perMinute: number;
	perHour: number;
}

/** The limits of each plan. A plan below Business gets 403 for every request. */
export const planLimits: Record<Plan, Limits> = {
	starter: { perMinute: 100, perHour: 1000 },
	business: { perMinute: 100, perHour: 1000 },
	enterprise: { perMinute: 500, perHour: 10_000 },
};

/** The plan in a row of an organization. */
export function readPlanColumn({ plan }: Row): Plan {
	return plan === 'enterprise' || plan === 'business' ? plan : 'starter';
}

/** The caller of an authorized request. */
export type Caller = KeyCaller | CustomerCaller | OperatorCaller | PublicCaller;

/** A caller with an API key of the integration API. */
export interface KeyCaller {
	kind: 'key';
	/** The data that the key sees. */
	dataset: number;
	organizationId: string;
	plan: Plan;
	/** The user in whose name the key acts: `created_by`, `uploaded_by`. */
	userId: string;
	/** Names the key in places that must not show its text, such as the audit log. */
	keyId: string;
	/** Such as `dossiers:write`. */
	scopes: string[];
}

/** A signed-in customer in one tenant and business unit. */
export interface CustomerCaller {
	kind: 'customer';
	dataset: number;
	organizationId: string;
	plan: Plan;
	tenantId: string;
	businessUnitId: string;
	userId: string;
	userName: string;
}

/** An operator of the service. */
export interface OperatorCaller {
	kind: 'operator';
	userId: string;
	userName: string;
}

/** Anybody: public operations need no key or token. */
interface PublicCaller {
	kind: 'public';
}

/** The caller that a customer's or an operator's token names, before tenant and business unit were checked. */
export type TokenCaller = (
	| (Omit<CustomerCaller, 'businessUnitId'> & { businessUnitIds: string[] })
	| OperatorCaller
) & {
	/** Milliseconds since 1970; null if the token does not expire. */
	expiresAt: number | null;
};

/** The time of a request, and the address that sent it. */
export interface Origin {
	/** When it came, ISO 8601. */
	time: string;
	ipAddress: string | null;
	userAgent: string | null;
	requestId: string | null;
}

/** Who acts on which data, when, and from where. */
export interface RequestContext extends Origin {
	dataset: number;
	/** The user for `created_by` and `uploaded_by`. */
	userId: string;
	/** The caller as the audit log names it. */
	actor: components['schemas']['AuditActor'];
}

/** The context of an authorized caller. Throws a TypeError for operators and the public, who have no data. */
export function createContext(caller: Caller, origin: Origin): RequestContext {
	if (caller.kind === 'key') {
		const { dataset, userId, keyId } = caller;
		return { ...origin, dataset, userId, actor: { type: 'api_key', id: keyId, name: null } };
	}
	if (caller.kind === 'customer') {
		const { dataset, userId, userName } = caller;
		return { ...origin, dataset, userId, actor: { type: 'user', id: userId, name: userName } };
	}
	throw new TypeError(`No data belongs to this caller (${caller.kind}).`);
}

/** The context of what the service itself does, or somebody in the control room: in the name of a dataset's user, if it has one. */
export function createSystemContext(
	clock: { iso(): string },
	{ n, userId = 'system' }: { n: number; userId?: string },
	{ name = 'Control room', incoming }: { name?: string; incoming?: IncomingMessage } = {},
): RequestContext {
	return {
		dataset: n,
		userId,
		time: clock.iso(),
		actor: { type: 'system', id: null, name },
		ipAddress: incoming?.socket.remoteAddress ?? null,
		userAgent: incoming?.headers['user-agent'] ?? null,
		requestId: null,
	};
}
