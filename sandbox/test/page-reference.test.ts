import { findOrganization } from './clients.ts';
import { usePages } from './page.ts';

const { browser, open, sandbox, submit } = usePages();

const enterprise = () => findOrganization(sandbox(), 'enterprise');

/** Signs in as the customer of an organization, and gives the cookie that the browser keeps. */
async function signIn(organizationId: string) {
	const fields = { organization_id: organizationId };
	const answer = await submit('/reference', '/reference/sign-in', fields);
	const [cookie = ''] = answer.headers['set-cookie'] ?? [];
	return { ...answer, cookie, login: { Cookie: cookie.split(';')[0] ?? '' } };
}

/** The operations that a page lists. */
const operationsOn = (page: string) =>
	[...page.matchAll(/<span class="method">(\w+)<\/span> <code>([^<]+)<\/code><\/a/g)].map(
		([, method, path]) => `${method} ${path}`,
	);

/** The pages of the reference that a page links to. */
const linksOn = (page: string) => [
	...new Set(
		[...page.matchAll(/href="\/_sandbox(\/reference\/[^"]+)"/g)].map(([, path]) => path ?? ''),
	),
];

test('without a login, only the public part is shown', async () => {
	const page = await open('/reference');
	expect(operationsOn(page)).toEqual([
		'GET /api/v1/health',
		'POST /api/v1/portal/auth/magic-link',
		'POST /api/v1/portal/auth/sms-otp',
	]);
	expect(page).toContain('The full reference has 30 more operations');
	expect(page).not.toMatch(/\/v1\/dossiers|DOSSIER_NOT_FOUND|dossier\.created|\/schemas\//);
	expect(await open('/reference/operations/health.get')).toContain(
		`curl ${sandbox().url}/api/v1/health`,
	);
	for (const path of ['operations/dossiers.list', 'schemas/Dossier', 'events/dossier.created']) {
		expect(await open(`/reference/${path}`)).toContain('This is the public part.');
	}
});

test('one click signs in, and then every operation, event, code and schema is shown', async () => {
	const { status, cookie, login } = await signIn(enterprise().id);
	expect(status).toBe(303);
	expect(cookie).toMatch(/; Path=\/_sandbox\/reference; HttpOnly; SameSite=Strict$/);
	const page = await open('/reference', login);
	expect(operationsOn(page)).toHaveLength(33);
	expect(operationsOn(page)).toContain('PATCH /api/v1/tenants/dossiers/{id}');
	for (const text of ['DOSSIER_NOT_FOUND', 'portal.user_accessed', '10000']) {
		expect(page).toContain(text);
	}
});

test('every page of the reference exists, and links only to pages that exist', async () => {
	const { login } = await signIn(enterprise().id);
	const known = linksOn(await open('/reference', login));
	expect(known.length).toBeGreaterThan(100);
	for (const path of known) {
		const page = await open(path, login);
		const missing = linksOn(page).filter((link) => !known.includes(link));
		expect([path, missing]).toEqual([path, []]);
	}
});

test('an operation is shown with a command, its fields, its answers and an example', async () => {
	const { login } = await signIn(enterprise().id);
	const page = await open('/reference/operations/dossiers.create', login);
	for (const text of [
		`Authorization: Bearer ${enterprise().liveKey}`,
		'Idempotency-Key',
		'custom_fields',
		'DUPLICATE_REFERENCE',
		'assumed A-04',
		'&quot;document_count&quot;',
	]) {
		expect(page).toContain(text);
	}
});

test('a search finds operations by their fields and codes', async () => {
	const { login } = await signIn(enterprise().id);
	const found = async (words: string) =>
		operationsOn(await open(`/reference?q=${encodeURIComponent(words)}`, login));
	expect(await found('document_count')).toEqual([]);
	expect(await found('assignee_id')).toContain('POST /v1/dossiers');
	expect(await found('duplicate_reference')).toEqual(
		expect.arrayContaining(['POST /v1/dossiers', 'PUT /v1/dossiers/{id}']),
	);
	expect(await found('Export')).toEqual(['GET /v1/audit-log/export']);
	expect(await open('/reference?q=nothing+such', login)).toContain('Nothing matches.');
});

test('a plan without access does not sign in, and a login ends when its plan loses access', async () => {
	const starter = await sandbox().createOrganization({ plan: 'starter' });
	const refused = await signIn(starter.id);
	expect([refused.status, refused.cookie]).toEqual([400, '']);
	expect(refused.data).toContain('Upgrade the plan');
	const { id } = await sandbox().createOrganization({ plan: 'business' });
	const { login } = await signIn(id);
	expect(operationsOn(await open('/reference', login))).toHaveLength(33);
	await browser.patch(`/api/organizations/${id}`, { plan: 'starter' });
	expect(operationsOn(await open('/reference', login))).toHaveLength(3);
});

test('an unknown login is not one, and signing out forgets it', async () => {
	for (const Cookie of ['reference_login=x', 'reference_login=', 'reference_login=%E0%A4%A']) {
		expect(operationsOn(await open('/reference', { Cookie }))).toHaveLength(3);
	}
	const { headers } = await browser.post('/reference/sign-out', new URLSearchParams());
	expect(headers['set-cookie']?.[0]).toMatch(
		/^reference_login=; Max-Age=0; Path=\/_sandbox\/reference/,
	);
});

test('the contract is downloaded as YAML or JSON, with this sandbox as its server', async () => {
	const json = await browser.get('/openapi.json', { responseType: 'json' });
	expect(json.data.servers).toEqual([{ url: sandbox().url, description: 'This sandbox.' }]);
	expect(json.data.paths['/v1/dossiers'].post.operationId).toBe('dossiers.create');
	const yaml = await browser.get('/openapi.yaml');
	expect(yaml.headers['content-type']).toBe('application/yaml');
	expect(yaml.data).toMatch(/^openapi: 3\.1\.0\n/);
	expect(yaml.data).toContain(`servers:\n  - url: ${sandbox().url}\n`);
});

test('the collection for Postman has every operation, and requests that need no ID work as they are', async () => {
	interface Request {
		method: string;
		url: string;
		header: { key: string; value: string }[];
		body?: { raw: string };
	}
	const { data } = await browser.get('/postman.json', { responseType: 'json' });
	const variables = new Map<string, string>(
		data.variable.map(({ key, value }: { key: string; value: string }) => [key, value]),
	);
	const fill = (text: string) =>
		text.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => variables.get(name) ?? '');
	const requests: Request[] = data.item.flatMap(({ item }: { item: { request: Request }[] }) =>
		item.map(({ request }) => request),
	);
	expect(requests).toHaveLength(33);
	const runnable = requests.filter(
		({ method, url }) =>
			!url.includes('{{id}}') && (method === 'GET' || url.endsWith('/v1/dossiers')),
	);
	expect(runnable.length).toBeGreaterThanOrEqual(10);
	for (const { method, url, header, body } of runnable) {
		const headers = Object.fromEntries(header.map(({ key, value }) => [key, fill(value)]));
		const answer = await browser.request({ method, url: fill(url), headers, data: body?.raw });
		expect([method, url, answer.status]).toEqual([method, url, method === 'POST' ? 201 : 200]);
	}
});
