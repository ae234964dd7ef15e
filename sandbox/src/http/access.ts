import type { IncomingMessage } from 'node:http';
import type { KeyHolder } from '../act.ts';
import { ApiError } from '../api-error.ts';
import type { Service } from '../service.ts';

/**
 * Who calls the integration API. Throws in the order of A-21: 401 for the key, then 400 and 403 for the organization,
 * then 403 for the plan.
 */
export function admit(incoming: IncomingMessage, service: Service): KeyHolder {
	const { authorization } = incoming.headers;
	const key = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
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
	const organization = incoming.headers['x-organization-id'];
	if (!organization) {
		throw new ApiError(
			'MISSING_ORGANIZATION_ID',
			'The request names no organization. Send the header X-Organization-ID.',
		);
	}
	if (organization !== holder.organizationId) {
		throw new ApiError(
			'ORGANIZATION_ACCESS_DENIED',
			'The API key does not belong to this organization. Check X-Organization-ID.',
		);
	}
	if (service.options.environment === 'sandbox' && holder.plan !== 'enterprise') {
		throw new ApiError(
			'PLAN_UPGRADE_REQUIRED',
			'The sandbox environment is part of the Enterprise plan. Use production, or a key of an Enterprise organization.',
		);
	}
	return holder;
}
