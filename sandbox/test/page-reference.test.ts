import { createSandbox } from '../src/index.ts';
import type { Sandbox, SeededOrganization } from '../src/index.ts';
import { findOrganization } from './clients.ts';
import { connectPages } from './page.ts';

const action = '/reference/sign-in';

let sandbox: Sandbox;
let organization: SeededOrganization;
let pages: ReturnType<typeof connectPages>;
beforeAll(async () => {
	sandbox = await createSandbox();
	organization = findOrganization(sandbox, 'enterprise');
	pages = connectPages(sandbox);
});
afterAll(() => sandbox.close());

const login = ({ customerToken, tenantId, businessUnitId }: SeededOrganization) => ({
	token: customerToken,
	tenant: tenantId,
	unit: businessUnitId,
});

/** Signs in, and gives the cookie that the browser keeps. */
async function signIn(fields: Record<string, string>) {
	const { status, headers } = await pages.send('/reference', action, fields);
	const [cookie = ''] = headers['set-cookie'] ?? [];
	return { status, cookie, kept: cookie.split(';')[0] ?? '' };
}

/** The paths of the operations that a page tells of. */
const operationsOn = (page: string) =>
	[...page.matchAll(/<span class="method">(\w+)<\/span> <code>([^<]+)<\/code>/g)].map(
		([, method, path]) => `${method} ${path}`,
	);

test('without a login it has what is public and nothing else', async () => {
	const page = await pages.page('/reference');
	expect(operationsOn(page)).toEqual([
		'GET /api/v1/health',
		'POST /api/v1/portal/auth/magic-link',
		'POST /api/v1/portal/auth/sms-otp',
	]);
	expect(page).toContain(
		'more operations, events, limits and error codes are in the full reference',
	);
	expect(page).not.toMatch(/\/v1\/dossiers|DOSSIER_NOT_FOUND|dossier\.created|href="#schema-/);
});

test('with a customer’s login it has every operation, event, code and schema, and every link in it leads somewhere', async () => {
	const { status, cookie, kept } = await signIn(login(organization));
	expect(status).toBe(303);
	expect(cookie).toMatch(/; Path=\/_sandbox\/reference; HttpOnly; SameSite=Strict$/);
	const page = await pages.page('/reference', { Cookie: kept });
	expect(operationsOn(page)).toHaveLength(33);
	expect(page).toContain('PATCH</span> <code>/api/v1/tenants/dossiers/{id}</code>');
	for (const text of ['DOSSIER_NOT_FOUND', 'portal.user_accessed', 'assumed A-14', '10000']) {
		expect(page).toContain(text);
	}
	const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
	const aims = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
	expect(aims.filter((id) => !ids.has(id))).toEqual([]);
});

test.each([
	['an unknown token', { token: 'ct_unknown' }, 'Nobody has this token'],
	['an API key', () => ({ token: organization.liveKey }), 'Nobody has this token'],
	['an operator’s token', () => ({ token: sandbox.operatorToken }), 'for customers'],
	['another tenant', { tenant: 'ten_other' }, 'does not belong to this tenant'],
	['another business unit', { unit: 'bu_other' }, 'does not belong to this tenant'],
	['no business unit', { unit: '' }, 'Give all three'],
	[
		'a plan without access',
		() => login(sandbox.createOrganization({ plan: 'starter' })),
		'Upgrade',
	],
])('%s does not sign in', async (_what, change, sentence) => {
	const fields = { ...login(organization), ...(typeof change === 'function' ? change() : change) };
	const { status, data, headers } = await pages.send('/reference', action, fields);
	expect([status, headers['set-cookie']]).toEqual([400, undefined]);
	expect(data).toContain(sentence);
	expect(data).not.toContain(fields.token);
	expect(operationsOn(data)).toHaveLength(3);
});

test('a cookie that is no login, or one that ended, leaves it restricted', async () => {
	const { kept } = await signIn(login(organization));
	const forged = `reference_login=${Buffer.from('{"token":7}').toString('base64url')}`;
	for (const Cookie of ['reference_login=x', 'reference_login=', forged, `${kept}AAAA`]) {
		expect(operationsOn(await pages.page('/reference', { Cookie }))).toHaveLength(3);
	}
	const { headers } = await pages.client.post('/reference/sign-out', new URLSearchParams(), {
		headers: { Cookie: kept },
	});
	expect(headers['set-cookie']?.[0]).toMatch(
		/^reference_login=; Max-Age=0; Path=\/_sandbox\/reference/,
	);
});
