import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type {
	CustomerHolder,
	Holder,
	KeyHolder,
	OperatorHolder,
	TokenHolder,
} from '../accounts/caller.ts';
import { ApiError } from '../contract/api-error.ts';
import type { ContractOperation } from '../contract/contract.ts';
import type { Service } from '../service.ts';
import type { Plan } from '../accounts/organizations.ts';

/** What an operation asks of its caller. */
export type Demand = Pick<ContractOperation, 'access' | 'scopes'> & { id?: string };

/**
 * Who calls. Throws in the order of A-21: 401 for the key or token, then 400 and 403 for the organization or the tenant
 * then 403 for the plan, the scope and the feature.
 */
export function admit(
	{ headers }: Pick<IncomingMessage, 'headers'>,
	demand: Demand,
	service: Service,
): Holder {
	if (demand.access === 'public') return { kind: 'public' };
	if (demand.access === 'integration') {
		const holder = keyHolder(headers, service);
		demandPlan(holder.plan, service);
		demandScopes(holder, demand.scopes);
		service.featureFlags.demand(demand.id, holder);
		return holder;
	}
	const holder = tokenHolder(headers, service);
	if (demand.access === 'operator') return operator(holder);
	const customer = customerIn(holder, headers, service);
	demandPlan(customer.plan, service);
	service.featureFlags.demand(demand.id, customer);
	return customer;
}

function keyHolder(headers: IncomingHttpHeaders, service: Service): KeyHolder {
	const key = bearerOf(headers);
	if (!key) {
		throw new ApiError(
			'MISSING_API_KEY',
			'The request has no API key. Send the header Authorization: Bearer <API key>.',
		);
	}
	const found = service.keys.find(key);
	if (!found) {
		throw new ApiError(
			'INVALID_API_KEY',
			'Nobody has this API key. Check the key, and which service it is for.',
		);
	}
	const { holder, revoked } = found;
	if (revoked) {
		throw new ApiError('API_KEY_REVOKED', 'This API key was revoked. Use another one.');
	}
	const organization = headers['x-organization-id'];
	if (!organization) {
		throw new ApiError(
			'MISSING_ORGANIZATION_ID',
			'The request names no organization. Send the header X-Organization-ID.',
		);
	}
	if (
		typeof organization !== 'string' ||
		service.ids.read(organization) !== holder.organizationId
	) {
		throw new ApiError(
			'ORGANIZATION_ACCESS_DENIED',
			'The API key does not belong to this organization. Check X-Organization-ID.',
		);
	}
	return holder;
}

function tokenHolder(headers: IncomingHttpHeaders, service: Service): TokenHolder {
	const token = bearerOf(headers);
	const holder = token === undefined ? undefined : service.tokens.find(token);
	if (!holder) {
		throw new ApiError(
			'INVALID_TOKEN',
			token === undefined
				? 'The request has no token. Send the header Authorization: Bearer <token>.'
				: 'Nobody has this token. API keys are for the paths below /v1; here a login is asked for.',
		);
	}
	if (holder.expiresAt !== null && holder.expiresAt <= service.clock.now()) {
		throw new ApiError('TOKEN_EXPIRED', 'This token is too old. Sign in again.');
	}
	return holder;
}

function operator(holder: TokenHolder): OperatorHolder {
	if (holder.kind === 'operator') return holder;
	throw new ApiError('FORBIDDEN', 'This is for operators of the service, not for customers.');
}

const contextHeaders = {
	prefixed: ['X-Tenant-ID', 'X-Business-Unit-ID'],
	plain: ['Tenant-ID', 'Business-Unit-ID'],
} as const;

function customerIn(
	holder: TokenHolder,
	headers: IncomingHttpHeaders,
	{ switches, ids }: Service,
): CustomerHolder {
	if (holder.kind !== 'customer') {
		throw new ApiError('FORBIDDEN', 'This is for customers, not for operators of the service.');
	}
	const [tenantHeader, unitHeader] = contextHeaders[switches.contextHeaders];
	const named = (name: string) => {
		const value = headers[name.toLowerCase()];
		if (typeof value === 'string' && value !== '') return ids.read(value);
		const message = `The request lacks the header ${name}.`;
		throw new ApiError('MISSING_REQUIRED_FIELD', message, [
			{ field: name, code: 'required', message },
		]);
	};
	const tenantId = named(tenantHeader);
	const businessUnitId = named(unitHeader);
	if (tenantId !== holder.tenantId || !holder.businessUnitIds.includes(businessUnitId)) {
		throw new ApiError(
			'ORGANIZATION_ACCESS_DENIED',
			`The token does not belong to this tenant and business unit. Check ${tenantHeader} and ${unitHeader}.`,
		);
	}
	return { ...holder, businessUnitId };
}

function demandPlan(plan: Plan, { options }: Service): void {
	if (plan === 'starter') {
		throw new ApiError(
			'PLAN_UPGRADE_REQUIRED',
			'API access is part of the Business and Enterprise plans. Upgrade the plan.',
		);
	}
	if (options.environment === 'sandbox' && plan !== 'enterprise') {
		throw new ApiError(
			'PLAN_UPGRADE_REQUIRED',
			'The sandbox environment is part of the Enterprise plan. Use production, or a key of an Enterprise organization.',
		);
	}
}

function demandScopes(holder: KeyHolder, scopes: string[]): void {
	const missing = scopes.filter((scope) => !holder.scopes.includes(scope));
	if (missing.length === 0) return;
	throw new ApiError(
		'INSUFFICIENT_SCOPE',
		`The API key lacks the scope ${missing.join(' and ')}. Use a key that has it.`,
	);
}

function bearerOf({ authorization }: IncomingHttpHeaders): string | undefined {
	return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}
