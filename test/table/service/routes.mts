/** Which call a request is, by its method and path. */
const ROUTES: Array<[method: string, path: RegExp, call: string]> = [
	['GET', /^\/v1\/dossiers$/, 'dossiers.list'],
	['POST', /^\/v1\/dossiers$/, 'dossiers.create'],
	['GET', /^\/v1\/dossiers\/([^/]+)$/, 'dossiers.get'],
	['PUT', /^\/v1\/dossiers\/([^/]+)$/, 'dossiers.update'],
	['DELETE', /^\/v1\/dossiers\/([^/]+)$/, 'dossiers.delete'],
	['GET', /^\/v1\/dossiers\/([^/]+)\/documents$/, 'documents.list'],
	['POST', /^\/v1\/dossiers\/([^/]+)\/documents$/, 'documents.upload'],
	['GET', /^\/v1\/documents\/([^/]+)$/, 'documents.get'],
	['GET', /^\/v1\/documents\/([^/]+)\/download$/, 'documents.download'],
	// Where a download can be moved to.
	['GET', /^\/v1\/documents\/([^/]+)\/content$/, 'documents.content'],
	['DELETE', /^\/v1\/documents\/([^/]+)$/, 'documents.delete'],
	['GET', /^\/v1\/portal\/users$/, 'portal.users.list'],
	['POST', /^\/v1\/portal\/invite$/, 'portal.invite'],
	['POST', /^\/v1\/portal\/invite\/qr$/, 'portal.inviteQr'],
	['DELETE', /^\/v1\/portal\/users\/([^/]+)$/, 'portal.users.delete'],
	['GET', /^\/v1\/tasks$/, 'tasks.list'],
	['POST', /^\/v1\/tasks$/, 'tasks.create'],
	['PATCH', /^\/v1\/tasks\/([^/]+)$/, 'tasks.update'],
	['DELETE', /^\/v1\/tasks\/([^/]+)$/, 'tasks.delete'],
	['GET', /^\/v1\/audit-log$/, 'audit.list'],
	['GET', /^\/v1\/audit-log\/export$/, 'audit.export'],
	['GET', /^\/api\/v1\/health$/, 'health.get'],
	['POST', /^\/api\/v1\/portal\/auth\/magic-link$/, 'portal.auth.magicLink'],
	['POST', /^\/api\/v1\/portal\/auth\/sms-otp$/, 'portal.auth.smsOtp'],
	['GET', /^\/api\/v1\/tenants\/workspace-bootstrap$/, 'workspace.bootstrap'],
	['POST', /^\/api\/v1\/tenants\/documents$/, 'workspace.documents.create'],
	['PATCH', /^\/api\/v1\/tenants\/dossiers\/([^/]+)$/, 'workspace.dossiers.update'],
	['GET', /^\/api\/v1\/admin\/tenants$/, 'admin.tenants.list'],
	['POST', /^\/api\/v1\/admin\/feature-flags$/, 'admin.featureFlags.set'],
	// Files beside the service, at addresses that need no key.
	['GET', /^\/files\/([^/]+)$/, 'files.get'],
];

/** A base address may carry the mark of an item, for calls that have no other place for it. */
const PREFIX = /^\/mark-[0-2](?=\/)/;

interface FoundCall {
	/** `none` if no route takes the request. */
	call: string;
	id: string;
	query: URLSearchParams;
}

export function findCall(method: string, address: string): FoundCall {
	const { pathname, searchParams: query } = new URL(address.replace(PREFIX, ''), 'http://service');
	for (const [wanted, pattern, call] of ROUTES) {
		const found = wanted === method ? pattern.exec(pathname) : null;
		if (found) return { call, id: decodeURIComponent(found[1] ?? ''), query };
	}
	return { call: 'none', id: '', query };
}

/** The method of a call. */
export const findMethod = (call: string) => ROUTES.find(([, , one]) => one === call)?.[0] ?? '';
