import { connectCustomer, readRefusal, refused } from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

const { customer, anyone, control, sandbox, organization } = useSandbox();

const path = '/tenants/workspace-bootstrap';

test('a customer needs a token that has not expired', async () => {
	const { tenantId, businessUnitId, liveKey } = organization();
	const get = async (token?: string) =>
		readRefusal(
			await anyone.get(path, {
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
	expect(await get(sandbox().operatorToken)).toEqual(refused(403, 'FORBIDDEN'));
	const { data } = await control.client.post('/customer-tokens', {
		organization_id: organization().id,
		expires_in: 60,
	});
	expect((await get(data.customerToken)).status).toBe(200);
	await sandbox().clock.move(60_000);
	expect(await get(data.customerToken)).toEqual(refused(401, 'TOKEN_EXPIRED'));
	expect((await get(organization().customerToken)).status).toBe(200);
});

test('a customer has to name the tenant and one of its business units', async () => {
	const other = await sandbox().createOrganization({ plan: 'business' });
	const get = async (tenant: string, unit: string) =>
		readRefusal(
			await customer.get(path, {
				headers: { 'X-Tenant-ID': tenant, 'X-Business-Unit-ID': unit },
			}),
		);
	const { tenantId, businessUnitId } = organization();
	expect(await get('', businessUnitId)).toEqual(refused(400, 'MISSING_REQUIRED_FIELD'));
	expect(await get(tenantId, '')).toEqual(refused(400, 'MISSING_REQUIRED_FIELD'));
	const denied = refused(403, 'ORGANIZATION_ACCESS_DENIED');
	expect(await get(other.tenantId, other.businessUnitId)).toEqual(denied);
	expect(await get(tenantId, other.businessUnitId)).toEqual(denied);
	const { business_units } = (await customer.get(path)).data;
	for (const { id } of business_units) expect((await get(tenantId, id)).status).toBe(200);
});

test('a customer needs a plan that includes the API', async () => {
	const starter = connectCustomer(
		sandbox(),
		await sandbox().createOrganization({ plan: 'starter' }),
	);
	expect(readRefusal(await starter.get(path))).toEqual(refused(403, 'PLAN_UPGRADE_REQUIRED'));
});
