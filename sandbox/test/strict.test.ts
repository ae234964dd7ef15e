import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readContract } from '../src/contract/contract.ts';
import { Validation } from '../src/contract/validation.ts';
import { connect, expectRefusal, findOrganization, makeUpload } from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

const { dataDir, openSandbox } = useSandbox({ isManual: true });

test.each([true, false])(
	'an internal failure is answered with a 500 without details, and fails the test if strict is %s',
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
	const faults = (status: number, body?: object) => {
		const json = body && JSON.parse(JSON.stringify(body));
		return new Validation(contract).findResponseErrors(operation, status, json);
	};
	const error = (code: string) => ({ error: { code, message: 'm', status: 404 } });
	expect(faults(200, { id: 'dos_1', deleted: true })).toEqual([]);
	expect(faults(404, error('DOSSIER_NOT_FOUND'))).toEqual([]);
	expect(faults(200, { id: 'dos_1', deleted: 'yes' })).toHaveLength(2);
	expect(faults(200, {})).toHaveLength(2);
	expect(faults(200)).toHaveLength(1);
	expect(faults(201, {})).toHaveLength(1);
	expect(faults(404, error('DOCUMENT_NOT_FOUND'))).toHaveLength(1);
});

test('the contract check reports headers that do not match the contract', () => {
	const contract = readContract();
	const validation = new Validation(contract);
	const faults = (id: string, status: number, headers: Record<string, string | number>) =>
		validation.findHeaderErrors(contract.operation(id), status, {
			'X-Request-Id': 'req_1',
			...headers,
		});
	expect(faults('dossiers.get', 200, { 'X-RateLimit-Remaining': 3 })).toEqual([]);
	expect(faults('dossiers.get', 429, { 'Retry-After': 3 })).toEqual([]);
	expect(faults('dossiers.get', 429, { 'Retry-After': 'soon' })).toHaveLength(1);
	expect(faults('dossiers.get', 200, { 'Retry-After': 3 })).toHaveLength(1);
	expect(faults('dossiers.get', 200, { 'X-RateLimit-Remaining': -1 })).toHaveLength(1);
	expect(faults('dossiers.get', 200, { 'X-Request-Id': '' })).toHaveLength(1);
	expect(faults('health.get', 200, { 'X-RateLimit-Remaining': 3 })).toHaveLength(1);
	expect(faults('documents.download', 200, {})).toHaveLength(1);
});
