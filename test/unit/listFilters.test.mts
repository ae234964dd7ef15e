/** The contract says what lists can be asked; the nodes follow it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isObject } from '../../contract/elements.mts';
import { kindsByEndpoint } from '../../nodes/Dossier/api/endpoints';
import { canonical } from '../../nodes/Dossier/dialect/canonical';
import { auditEntryList } from '../../nodes/Dossier/execution/lists/auditEntries';
import { documentList } from '../../nodes/Dossier/execution/lists/documents';
import { dossierList } from '../../nodes/Dossier/execution/lists/dossiers';
import { portalUserList } from '../../nodes/Dossier/execution/lists/portalUsers';
import { taskList } from '../../nodes/Dossier/execution/lists/tasks';

const read = (path: string) => readFileSync(join(__dirname, '../..', path), 'utf8');
const record = (value: unknown) => (isObject(value) ? value : {});
const contract = record(parse(read('contract/openapi.yaml')));
const operations = Object.values(record(contract.paths)).map((path) => record(record(path).get));

/** The query parameters of an operation. */
function findParameters(operationId: string) {
	const operation = operations.find((one) => one.operationId === operationId);
	const parameters = Array.isArray(operation?.parameters) ? operation.parameters.map(record) : [];
	return parameters
		.map(({ $ref, ...own }) => {
			const name = String($ref).replace('#/components/parameters/', '');
			return $ref ? record(record(record(contract.components).parameters)[name]) : own;
		})
		.filter((parameter) => parameter.in === 'query');
}

const PAGING = ['page', 'per_page', 'sort', 'order'];
const LISTS = [dossierList, documentList, portalUserList, taskList, auditEntryList];

/** A value that every filter takes. */
const SAMPLE = '2026-01-02T03:04:05.000Z';

describe.each(LISTS)('$endpoint', ({ endpoint, filters, sorts = [] }) => {
	const parameters = findParameters(endpoint);
	const exported = endpoint === 'audit.list' ? ['format'] : [];
	const names = parameters.map(({ name }) => String(name)).filter((one) => !PAGING.includes(one));

	it('asks for nothing that the contract does not have', () => {
		const asked = filters
			.flatMap(({ conditions }) => conditions(SAMPLE))
			.flatMap(({ query }) => query?.parameter ?? []);
		expect(asked.length).toBeGreaterThan(2);
		expect(names).toEqual(expect.arrayContaining(asked));
		const sort = parameters.find(({ name }) => name === 'sort');
		expect(record(sort?.schema).enum ?? []).toEqual(expect.arrayContaining(sorts));
	});

	it('has in dialects the filters that the contract has', () => {
		const kind = kindsByEndpoint[endpoint];
		expect(kind).toBeDefined();
		const known = kind ? canonical[kind].filters : [];
		expect([...known].sort()).toEqual([...names, ...exported].sort());
	});
});
