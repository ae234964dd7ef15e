import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { listAssumptions, contractElements, isObject } from '../../contract/elements.mts';
import type { ContractElement, ElementKind } from '../../contract/elements.mts';

const root = join(__dirname, '..', '..');
const text = readFileSync(join(root, 'contract', 'openapi.yaml'), 'utf8');
const document: unknown = parse(text);
const elements = [...contractElements(document)];

const record = (value: unknown) => (isObject(value) ? value : {});
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const member = (name: string) => record(record(document)[name]);
const ofKind = (kind: ElementKind) => elements.filter((one) => one.kind === kind);
const last = (pointer: string) => pointer.split('/').at(-1) ?? '';
const operationLine = ({ pointer }: ContractElement) => {
	const [, , path = '', method = ''] = pointer.split('/');
	return `${method.toUpperCase()} ${path.replaceAll('~1', '/')}`;
};

const DOCUMENTED_OPERATIONS = `
	GET /v1/dossiers · POST /v1/dossiers · GET /v1/dossiers/{id} · PUT /v1/dossiers/{id}
	DELETE /v1/dossiers/{id} · GET /v1/dossiers/{id}/documents · POST /v1/dossiers/{id}/documents
	GET /v1/documents/{id} · GET /v1/documents/{id}/download · DELETE /v1/documents/{id}
	GET /v1/portal/users · POST /v1/portal/invite · POST /v1/portal/invite/qr
	DELETE /v1/portal/users/{id} · GET /v1/tasks · POST /v1/tasks · PATCH /v1/tasks/{id}
	DELETE /v1/tasks/{id} · GET /v1/audit-log · GET /v1/audit-log/export
	GET /api/v1/health · POST /api/v1/portal/auth/magic-link · POST /api/v1/portal/auth/sms-otp
	GET /api/v1/tenants/workspace-bootstrap · POST /api/v1/tenants/documents
	PATCH /api/v1/tenants/dossiers/{id} · GET /api/v1/admin/tenants · POST /api/v1/admin/feature-flags
`
	.split(/[\n·]/)
	.map((line) => line.trim())
	.filter(Boolean);

const EVENTS = [
	'document.uploaded',
	'document.deleted',
	'dossier.created',
	'portal.user_invited',
	'portal.user_accessed',
	'task.due_soon',
];

describe('the provenance of the contract', () => {
	it('is marked on every element', () => {
		const unmarked = elements.filter(
			({ element }) => !['given', 'assumed'].includes(String(element['x-provenance'])),
		);
		expect(elements.length).toBeGreaterThan(500);
		expect(unmarked.map(({ pointer }) => pointer)).toEqual([]);
	});

	it('has a number on every assumed element and on no given one', () => {
		const wrong = elements.filter(({ element }) => {
			const assumed = element['x-provenance'] === 'assumed';
			return assumed !== /^A-\d\d$/.test(String(element['x-assumption']));
		});
		expect(wrong.map(({ pointer }) => pointer)).toEqual([]);
		const numbers = elements.flatMap(({ element }) => listAssumptions(element));
		expect(numbers.filter((number) => !/^A-\d\d$/.test(number))).toEqual([]);
	});

	it('uses exactly the numbers that docs/contract.md explains', () => {
		const docs = readFileSync(join(root, 'docs', 'contract.md'), 'utf8');
		const explained = [...docs.matchAll(/^## (A-\d\d) \S/gm)].map(([, number]) => number);
		const behaviors = Object.keys(member('x-behaviors'));
		const used = new Set(elements.flatMap(({ element }) => listAssumptions(element)));
		expect(behaviors.filter((number) => used.has(number))).toEqual([]);
		expect(explained).toEqual([...used, ...behaviors].sort());
	});

	it('marks as given only what the description of the service states', () => {
		const given = elements.filter(({ element }) => element['x-provenance'] === 'given');
		const names = (kind: ElementKind) =>
			given.filter((one) => one.kind === kind).map(({ pointer }) => last(pointer));
		const properties = given
			.filter(({ kind }) => kind === 'property')
			.map(({ pointer }) =>
				pointer
					.split('/')
					.slice(3)
					.filter((name) => name !== 'properties'),
			)
			.map((path) => path.join('.'));
		expect(names('parameter')).toEqual(['PathId', 'OrganizationId']);
		expect(names('header')).toEqual(['RateLimitRemaining']);
		expect(names('security scheme')).toEqual(['apiKey']);
		expect(
			given.filter(({ kind }) => kind === 'error code').map(({ element }) => element.const),
		).toEqual(['DOCUMENT_NOT_FOUND']);
		expect(properties.filter((path) => !/^\w+Event\.(event|created_at|data)$/.test(path))).toEqual([
			'Error.error',
			'Error.error.code',
			'Error.error.message',
			'Error.error.status',
			'DocumentUploadedEvent.data.document_id',
			'DocumentUploadedEvent.data.dossier_id',
			'DocumentUploadedEvent.data.uploaded_by',
			'DocumentUploadedEvent.data.category',
		]);
		expect(
			given
				.filter(({ kind }) => kind === 'operation')
				.map(operationLine)
				.sort(),
		).toEqual([...DOCUMENTED_OPERATIONS].sort());
	});
});

describe('the operations of the contract', () => {
	it('have unique ids, an access class and the security scheme of that class', () => {
		const logins: Record<string, unknown> = {
			integration: 'apiKey',
			public: undefined,
			customer: 'customerToken',
			operator: 'operatorToken',
		};
		const ids = ofKind('operation').map(({ element }) => element.operationId);
		expect(new Set(ids).size).toBe(33);
		for (const { element, pointer } of ofKind('operation')) {
			const access = String(element['x-access']);
			const [login] = list(element.security).flatMap((one) => Object.keys(record(one)));
			expect({ pointer, access, login }).toEqual({ pointer, access, login: logins[access] });
			expect(access === 'integration').toBe(pointer.startsWith('/paths/~1v1~1'));
		}
	});

	it('emit the six documented events and no others', () => {
		expect(Object.keys(member('webhooks'))).toEqual(EVENTS);
		const emitted = ofKind('operation').flatMap(({ element }) => list(element['x-emits']));
		// The clock emits task.due_soon.
		expect([...new Set(emitted), 'task.due_soon'].sort()).toEqual([...EVENTS].sort());
	});
});

describe('the errors of the contract', () => {
	const codes = new Map(
		ofKind('error code').map(({ element }) => [element.const, list(element['x-statuses'])]),
	);
	const responses = record(member('components').responses);
	const answers = ofKind('operation').flatMap(({ element }) =>
		Object.entries(record(element.responses)).filter(([status]) => Number(status) >= 400),
	);

	it('are error objects with the codes of their status', () => {
		expect(answers.length).toBeGreaterThan(150);
		for (const [status, answer] of answers) {
			const name = last(String(record(answer).$ref));
			const error = record(responses[name]);
			const { schema } = record(record(error.content)['application/json']);
			expect(schema).toEqual({ $ref: '#/components/schemas/Error' });
			expect(list(error['x-error-codes']).length).toBeGreaterThan(0);
			const strangers = list(error['x-error-codes']).filter(
				(code) => !codes.get(code)?.includes(Number(status)),
			);
			expect({ name, status, strangers }).toEqual({ name, status, strangers: [] });
		}
	});

	it('use every code', () => {
		const used = Object.values(responses).flatMap((one) => list(record(one)['x-error-codes']));
		expect([...codes.keys()].filter((code) => !used.includes(code))).toEqual([]);
	});
});
