import type { AxiosInstance } from 'axios';
import { createSandbox } from '../src/index.ts';
import type { Sandbox, SeededOrganization } from '../src/index.ts';
import { refusalOf, refused } from './client.ts';
import { controlOf } from './control.ts';
import { customerOf, publicOf } from './people.ts';

const path = '/tenants/workspace-bootstrap';

let sandbox: Sandbox;
let organization: SeededOrganization;
let customer: AxiosInstance;
beforeAll(async () => {
	sandbox = await createSandbox();
});
afterAll(async () => {
	await sandbox.close();
});
beforeEach(() => {
	organization = sandbox.createOrganization({ plan: 'business' });
	customer = customerOf(sandbox, organization);
});

test('a customer needs a token that is not too old', async () => {
	const { tenantId, businessUnitId, liveKey } = organization;
	const get = async (token?: string) =>
		refusalOf(
			await publicOf(sandbox).get(path, {
				headers: {
					'X-Tenant-ID': tenantId,
					'X-Business-Unit-ID': businessUnitId,
					...(token !== undefined && { Authorization: `Bearer ${token}` }),
				},
			}),
		);
	expect(await get()).toEqual(refused(401, 'INVALID_TOKEN'));
	expect(await get('ct_unknown')).toEqual(refused(401, 'INVALID_TOKEN'));
	expect(await get(liveKey)).toEqual(refused(401, 'INVALID_TOKEN'));
	expect(await get(sandbox.operatorToken)).toEqual(refused(403, 'FORBIDDEN'));
	const { data } = await controlOf(sandbox).client.post('/customer-tokens', {
		organization_id: organization.id,
		expires_in: 60,
	});
	expect((await get(data.customerToken)).status).toBe(200);
	sandbox.clock.move(60_000);
	expect(await get(data.customerToken)).toEqual(refused(401, 'TOKEN_EXPIRED'));
	expect((await get(organization.customerToken)).status).toBe(200);
});

test('a customer names the tenant and one of its business units', async () => {
	const other = sandbox.createOrganization({ plan: 'business' });
	const get = async (tenant: string, unit: string) =>
		refusalOf(
			await customer.get(path, {
				headers: { 'X-Tenant-ID': tenant, 'X-Business-Unit-ID': unit },
			}),
		);
	const { tenantId, businessUnitId } = organization;
	expect(await get('', businessUnitId)).toEqual(refused(400, 'MISSING_REQUIRED_FIELD'));
	expect(await get(tenantId, '')).toEqual(refused(400, 'MISSING_REQUIRED_FIELD'));
	const denied = refused(403, 'ORGANIZATION_ACCESS_DENIED');
	expect(await get(other.tenantId, other.businessUnitId)).toEqual(denied);
	expect(await get(tenantId, other.businessUnitId)).toEqual(denied);
	const { business_units } = (await customer.get(path)).data;
	for (const { id } of business_units) expect((await get(tenantId, id)).status).toBe(200);
});

test('a customer has a plan that includes it', async () => {
	const starter = customerOf(sandbox, sandbox.createOrganization({ plan: 'starter' }));
	expect(refusalOf(await starter.get(path))).toEqual(refused(403, 'PLAN_UPGRADE_REQUIRED'));
});
