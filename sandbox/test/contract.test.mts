import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import axios from 'axios';
import type { AxiosInstance, AxiosResponse } from 'axios';
import { readContract } from '../src/contract/contract.mts';
import { Validation } from '../src/contract/validation.mts';
import { openCheckingProxy } from './checking-proxy.mts';
import type { CheckingProxy } from './checking-proxy.mts';
import {
	connect,
	connectCustomer,
	connectOperator,
	connectPublic,
	expectRefusal,
	findOrganization,
	makeForm,
	makePerson,
	makeUpload,
	readToken,
} from './clients.mts';
import { useSandbox } from './use-sandbox.mts';

const { sandbox, organization, control, dataDir, openSandbox } = useSandbox({ rateLimits: 'plan' });
let proxy: CheckingProxy;

beforeEach(async () => {
	proxy = await openCheckingProxy(sandbox());
});
afterEach(async () => await proxy.close());

/** The record of an answer, whether or not the profile wraps it. */
const readRecord = ({ data }: AxiosResponse) => data.data ?? data;

/** Uploads a file as JSON and as a form; a profile may refuse one of them. Gives the address of the document. */
async function upload(client: AxiosInstance, path: string, more: Record<string, string> = {}) {
	const answers = [
		await client.post(path, makeUpload('%PDF', { mime_type: 'application/pdf', ...more })),
		await client.post(path, makeForm('%PDF', 'note.pdf', more, 'application/pdf')),
	];
	const taken = answers.find(({ status }) => status === 201);
	return `/documents/${encodeURIComponent(taken ? readRecord(taken).id : '')}`;
}

async function callDossiersAndDocuments(client: AxiosInstance): Promise<string> {
	const { id } = readRecord(await client.post('/dossiers', { title: 'Lease' }));
	const dossier = `/dossiers/${encodeURIComponent(id)}`;
	await client.get(dossier);
	await client.put(dossier, { title: 'Lease', contact: { name: 'Jana Vogt' } });
	await client.get('/dossiers?sort=title');
	const document = await upload(client, `${dossier}/documents`);
	await client.get(`${dossier}/documents`);
	await client.get(document);
	await client.get(`${document}/download`, { maxRedirects: 0 });
	await client.delete(document);
	return id;
}

async function callPeople(client: AxiosInstance, dossier: string): Promise<void> {
	const anyone = connectPublic(proxy);
	const person = makePerson();
	const invitation = { ...person, dossier_ids: [dossier] };
	const { portal_user_id } = readRecord(await client.post('/portal/invite', invitation));
	await client.post('/portal/invite', invitation);
	await client.post('/portal/invite/qr', { dossier_ids: [] });
	await client.get('/portal/users');
	await anyone.post('/portal/auth/magic-link', { email: person.email });
	const [mail] = await control.outbox(person.email);
	const token = readToken(mail?.link);
	expect((await anyone.post('/portal/auth/magic-link', { token })).status).toBe(200);
	await anyone.post('/portal/auth/magic-link', { token });
	const sms = readRecord(await anyone.post('/portal/auth/sms-otp', { phone: person.phone }));
	await anyone.post('/portal/auth/sms-otp', { phone: person.phone });
	const [{ code } = { code: '' }] = await control.outbox(person.phone);
	const given = { challenge_id: sms.challenge_id, code };
	expect((await anyone.post('/portal/auth/sms-otp', given)).status).toBe(200);
	await client.delete(`/portal/users/${encodeURIComponent(portal_user_id)}`);
	await anyone.get('/health');
}

async function callTheRest(client: AxiosInstance, dossier: string): Promise<void> {
	const task = readRecord(await client.post('/tasks', { title: 'Check', dossier_id: dossier }));
	await client.patch(`/tasks/${encodeURIComponent(task.id)}`, { status: 'completed' });
	await client.get('/tasks');
	await client.delete(`/tasks/${encodeURIComponent(task.id)}`);
	await client.get('/audit-log');
	await client.get('/audit-log/export');
	await client.get('/audit-log/export?format=json');
	const hook = { url: 'http://127.0.0.1:9/hook', events: ['task.due_soon'] };
	const { data: webhook } = await client.post('/webhooks', hook);
	await client.get('/webhooks');
	await client.get(`/webhooks/${webhook.id}`);
	await client.patch(`/webhooks/${webhook.id}`, { status: 'disabled' });
	await client.delete(`/webhooks/${webhook.id}`);
	const customer = connectCustomer(proxy, organization());
	await customer.get('/tenants/workspace-bootstrap');
	await upload(customer, '/tenants/documents', { dossier_id: dossier });
	await customer.patch(`/tenants/dossiers/${encodeURIComponent(dossier)}`, { title: 'Changed' });
	const operator = connectOperator({ ...sandbox(), url: proxy.url });
	await operator.get('/admin/tenants');
	await operator.post('/admin/feature-flags', { key: 'signing', enabled: true });
}

async function causeRefusals(client: AxiosInstance): Promise<void> {
	await client.post('/dossiers', {});
	await client.post('/dossiers', { title: 'x'.repeat(201) });
	await client.get('/dossiers?page=none&cursor=none');
	await client.get('/dossiers/none');
	await client.get('/dossiers', { headers: { Authorization: '' } });
	await client.get('/dossiers', { headers: { 'X-Organization-ID': 'org_other' } });
}

test('every operation answers as the contract says that the sandbox serves', async () => {
	await proxy.learn();
	const client = connect(proxy, organization());
	const dossier = await callDossiersAndDocuments(client);
	await callPeople(client, dossier);
	await callTheRest(client, dossier);
	await client.delete(`/dossiers/${encodeURIComponent(dossier)}`);
	await causeRefusals(client);
	expect(proxy.complaints).toEqual([]);
	const { data } = await axios.get(`${sandbox().url}/_sandbox/openapi.json`);
	const operations = Object.values<Record<string, { operationId?: string }>>(data.paths)
		.flatMap((item) => Object.values(item))
		.flatMap(({ operationId }) => operationId ?? []);
	expect([...proxy.answered].sort()).toEqual(operations.sort());
});

test('a new filter of the contract works on a field that has no column', async () => {
	const { parameters } = readContract().operation('documents.list');
	parameters.push({ name: 'mime_type', in: 'query', schema: { type: 'string' } });
	try {
		const own = await openSandbox();
		const client = connect(own, findOrganization(own, 'business'));
		const { id } = (await client.post('/dossiers', { title: 'Lease' })).data;
		const path = `/dossiers/${id}/documents`;
		await client.post(path, makeUpload('a', { mime_type: 'application/pdf' }));
		await client.post(path, makeUpload('b', { mime_type: 'image/png' }));
		const { data } = await client.get(path, { params: { mime_type: 'image/png' } });
		expect(data).toMatchObject({ data: [{ mime_type: 'image/png' }], pagination: { total: 1 } });
	} finally {
		parameters.pop();
	}
});

test('Prism complains if an answer breaks the contract that the sandbox serves', async () => {
	await proxy.learn();
	await control.change({ switches: { envelope: 'data' } });
	await connect(proxy, organization()).post('/dossiers', { title: 'Lease' });
	expect(proxy.complaints).toContainEqual(expect.stringContaining('created_at'));
});

test.each([true, false])(
	'the sandbox answers an internal failure with a 500 without details; strict (%s) makes close throw it',
	async (strict) => {
		const console = jest.spyOn(globalThis.console, 'error').mockImplementation();
		const sandbox = await openSandbox({ dataDir, strict });
		const client = connect(sandbox, findOrganization(sandbox, 'business'));
		const dossier = (await client.post('/dossiers', { title: 'a' })).data;
		const { data } = await client.post(`/dossiers/${dossier.id}/documents`, makeUpload('lost'));
		const files = join(dataDir, 'files');
		for (const folder of readdirSync(files)) rmSync(join(files, folder), { recursive: true });

		const answer = await client.get(`/documents/${data.id}/download`);
		expectRefusal(answer, 500, 'INTERNAL_ERROR');
		expect(JSON.stringify(answer.data)).not.toMatch(/ENOENT|files|dossier-test/);
		expect(answer.data.error.message).toContain(String(answer.headers['x-request-id']));
		expect(console.mock.calls.flat().join(' ')).toContain(String(answer.headers['x-request-id']));

		const closed = sandbox.close();
		if (strict) await expect(closed).rejects.toThrow(/ENOENT/);
		else await closed;
		console.mockRestore();
	},
);

test('the contract check reports answers that do not match the contract', () => {
	const contract = readContract();
	const operation = contract.operations.find(({ id }) => id === 'dossiers.delete');
	if (!operation) throw new Error('The contract has no dossiers.delete.');
	const findErrors = (status: number, body?: object) => {
		const json = body && JSON.parse(JSON.stringify(body));
		return new Validation(contract).findResponseErrors(operation, status, json);
	};
	const error = (code: string) => ({ error: { code, message: 'm', status: 404 } });
	expect(findErrors(200, { id: 'dos_1', deleted: true })).toEqual([]);
	expect(findErrors(404, error('DOSSIER_NOT_FOUND'))).toEqual([]);
	expect(findErrors(200, { id: 'dos_1', deleted: 'yes' })).toHaveLength(2);
	expect(findErrors(200, {})).toHaveLength(2);
	expect(findErrors(200)).toHaveLength(1);
	expect(findErrors(201, {})).toHaveLength(1);
	expect(findErrors(404, error('DOCUMENT_NOT_FOUND'))).toHaveLength(1);
});

test('the contract check reports headers that do not match the contract', () => {
	const contract = readContract();
	const validation = new Validation(contract);
	const findErrors = (id: string, status: number, headers: Record<string, string | number>) =>
		validation.findHeaderErrors(contract.operation(id), status, {
			'X-Request-Id': 'req_1',
			...headers,
		});
	expect(findErrors('dossiers.get', 200, { 'X-RateLimit-Remaining': 3 })).toEqual([]);
	expect(findErrors('dossiers.get', 429, { 'Retry-After': 3 })).toEqual([]);
	expect(findErrors('dossiers.get', 429, { 'Retry-After': 'soon' })).toHaveLength(1);
	expect(findErrors('dossiers.get', 200, { 'Retry-After': 3 })).toHaveLength(1);
	expect(findErrors('dossiers.get', 200, { 'X-RateLimit-Remaining': -1 })).toHaveLength(1);
	expect(findErrors('dossiers.get', 200, { 'X-Request-Id': '' })).toHaveLength(1);
	expect(findErrors('health.get', 200, { 'X-RateLimit-Remaining': 3 })).toHaveLength(1);
	expect(findErrors('documents.download', 200, {})).toHaveLength(1);
});
