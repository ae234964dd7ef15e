import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type {
	CustomerCaller,
	Caller,
	KeyCaller,
	OperatorCaller,
	TokenCaller,
	Plan,
} from '../accounts/caller.mts';
import { ServiceError } from '../contract/service-error.mts';
import type { ContractOperation } from '../contract/contract.mts';
import type { Service } from '../service.mts';

/** Who may call an operation. */
type AccessRule = Pick<ContractOperation, 'access' | 'scopes'> & { id?: string };

/**
 * Finds the caller, and checks that he may call the operation. Throws in the order of A-21: 401 for the key or token, then 400 and 403
 * for the organization or the tenant, then 403 for the plan, the scope and the feature.
 */
export function authorize(
	{ headers }: Pick<IncomingMessage, 'headers'>,
	demand: AccessRule,
	service: Service,
): Caller {
	if (demand.access === 'public') return { kind: 'public' };
	if (demand.access === 'integration') {
		const caller = findKeyCaller(headers, service);
		assertPlan(caller.plan, service);
		assertScopes(caller, demand.scopes);
		service.featureFlags.assertEnabled(demand.id, caller);
		return caller;
	}
	const caller = findTokenCaller(headers, service);
	if (demand.access === 'operator') return requireOperator(caller);
	const customer = requireCustomer(caller, headers, service);
	assertPlan(customer.plan, service);
	service.featureFlags.assertEnabled(demand.id, customer);
	return customer;
}

function findKeyCaller(headers: IncomingHttpHeaders, service: Service): KeyCaller {
	const key = readBearer(headers);
	if (!key) {
		throw new ServiceError(
			'MISSING_API_KEY',
			'The request has no API key. Send the header Authorization: Bearer <API key>.',
		);
	}
	const found = service.keys.find(key);
	if (!found) {
		throw new ServiceError('INVALID_API_KEY', 'This API key is unknown here.');
	}
	const { caller, revoked } = found;
	if (revoked) {
		throw new ServiceError('API_KEY_REVOKED', 'This API key was revoked. Use another one.');
	}
	const organization = headers['x-organization-id'];
	if (!organization) {
		throw new ServiceError(
			'MISSING_ORGANIZATION_ID',
			'The request names no organization. Send the header X-Organization-ID.',
		);
	}
	if (
		typeof organization !== 'string' ||
		service.ids.resolve(organization) !== caller.organizationId
	) {
		throw new ServiceError(
			'ORGANIZATION_ACCESS_DENIED',
			'The API key does not belong to this organization. Check X-Organization-ID.',
		);
	}
	return caller;
}

function findTokenCaller(headers: IncomingHttpHeaders, service: Service): TokenCaller {
	const token = readBearer(headers);
	const caller = token === undefined ? undefined : service.tokens.find(token);
	if (!caller) {
		throw new ServiceError(
			'INVALID_TOKEN',
			token === undefined
				? 'The request has no token. Send the header Authorization: Bearer <token>.'
				: 'This token is unknown. API keys are for the paths below /v1; here a login is asked for.',
		);
	}
	if (caller.expiresAt !== null && caller.expiresAt <= service.clock.now()) {
		throw new ServiceError('TOKEN_EXPIRED', 'This token is too old. Sign in again.');
	}
	return caller;
}

function requireOperator(caller: TokenCaller): OperatorCaller {
	if (caller.kind === 'operator') return caller;
	throw new ServiceError('FORBIDDEN', 'This is for operators of the service, not for customers.');
}

function requireCustomer(
	caller: TokenCaller,
	headers: IncomingHttpHeaders,
	{ switches, ids }: Service,
): CustomerCaller {
	if (caller.kind !== 'customer') {
		throw new ServiceError('FORBIDDEN', 'This is for customers, not for operators of the service.');
	}
	const tenantHeader = switches.workspaceHeaders;
	const unitHeader = tenantHeader.replace('Tenant', 'Business-Unit');
	const named = (name: string) => {
		const value = headers[name.toLowerCase()];
		if (typeof value === 'string' && value !== '') return ids.resolve(value);
		const message = `The request lacks the header ${name}.`;
		throw new ServiceError('MISSING_REQUIRED_FIELD', message, [
			{ field: name, code: 'required', message },
		]);
	};
	const tenantId = named(tenantHeader);
	const businessUnitId = named(unitHeader);
	if (tenantId !== caller.tenantId || !caller.businessUnitIds.includes(businessUnitId)) {
		throw new ServiceError(
			'ORGANIZATION_ACCESS_DENIED',
			`The token does not belong to this tenant and business unit. Check ${tenantHeader} and ${unitHeader}.`,
		);
	}
	return { ...caller, businessUnitId };
}

function assertPlan(plan: Plan, { options }: Service): void {
	if (plan === 'starter') {
		throw new ServiceError(
			'PLAN_UPGRADE_REQUIRED',
			'API access is part of the Business and Enterprise plans. Upgrade the plan.',
		);
	}
	if (options.environment === 'sandbox' && plan !== 'enterprise') {
		throw new ServiceError(
			'PLAN_UPGRADE_REQUIRED',
			'The sandbox environment is part of the Enterprise plan. Use production, or a key of an Enterprise organization.',
		);
	}
}

function assertScopes(caller: KeyCaller, scopes: string[]): void {
	const missing = scopes.filter((scope) => !caller.scopes.includes(scope));
	if (missing.length === 0) return;
	throw new ServiceError(
		'INSUFFICIENT_SCOPE',
		`The API key lacks the scope ${missing.join(' and ')}. Use a key that has it.`,
	);
}

/** The key or token in `Authorization: Bearer …`. */
export function readBearer({
	authorization,
}: Pick<IncomingHttpHeaders, 'authorization'>): string | undefined {
	return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}

/** The access rule of an address that no operation has. */
export function readAccessRule(url: string): AccessRule {
	return { access: url.startsWith('/v1/') ? 'integration' : 'public', scopes: [] };
}
