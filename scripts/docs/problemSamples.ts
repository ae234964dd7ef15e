/** Every problem of the catalogue with example facts, for the documents and for the test of its sentences. */
import type { ProblemCode, ProblemFacts, Refusal } from '../../nodes/Dossier/api/problem';
import type { describe as describeProblem } from '../../nodes/Dossier/execution/problems/explain';
import type { Forms } from '../../nodes/Dossier/execution/problems/labels';

const refusal: Refusal = {
	status: 403,
	code: 'INSUFFICIENT_SCOPE',
	message: 'The key lacks the scope webhooks:write',
	details: [],
	access: 'key',
};

const missing: Refusal = {
	status: 404,
	code: 'DOSSIER_NOT_FOUND',
	message: 'There is no dossier with this id',
	details: [],
	access: 'key',
};

const host = 'api.example.com';
const access = 'key';
const fileName = 'invoice.pdf';

/** One set of facts for each sentence that a problem can have. */
const facts: { [Code in ProblemCode]: Array<ProblemFacts[Code]> } = {
	REFUSED: [refusal, { ...refusal, code: undefined, message: undefined, status: 502 }],
	CONNECTION_FAILED: [
		{ host, access, networkCode: 'ECONNREFUSED', mayBeDone: false },
		{ host, access, networkCode: 'ECONNRESET', mayBeDone: true },
		{ host, access: 'signed', reason: 'socket hang up', mayBeDone: false },
		{ host, access: 'public', mayBeDone: false },
		{ host, access: 'file', mayBeDone: false },
	],
	REDIRECTED: [{ host, access, target: 'https://other.example.com/v1', status: 301 }],
	NOT_THE_SERVICE: [{ host, access, status: 200 }],
	ANSWER_TOO_LARGE: [{ host, limit: 256 * 1024 ** 2 }],
	RATE_LIMIT_WAIT_TOO_LONG: [{ until: '2026-03-31T12:00:00.000Z' }],
	REFERENCE_NOT_KEPT: [{ id: 'dos_8f3k2m1q', reference: '2026-0042' }],
	CHANGE_NOT_KEPT: [{ id: 'dos_8f3k2m1q', fields: ['description'] }],
	LIST_NOT_CONTINUED: [{ read: 20, counted: 57 }],
	ADDRESS_REFUSED: [{ host: '10.0.0.1' }],
	CANCELLED: [{}],
	FILE_GONE: [{ fileName }],
	FILE_CHANGED: [{ fileName, announced: 4096, read: 1024 }, { fileName }],
	STORAGE_FAILED: [{ fileName, reason: 'permission denied' }],
	FILE_NOT_IN_ANSWER: [{ host, fileName }],
	FILE_URL_FAILED: [{ host: 'files.example.com', status: 404 }],
	STORAGE_FULL: [{}],
	DOWNLOAD_MISMATCH: [{ arrived: 1024, expected: 4096 }, {}],
	UPLOAD_MISMATCH: [
		{ fileName, stored: 1024, sent: 4096, documentId: 'doc_5t9x0c7v' },
		{ fileName, documentId: 'doc_5t9x0c7v' },
	],
	WEBHOOK_UNREACHABLE: [{ origin: 'http://localhost:5678' }],
	NO_REGISTRATION_ENDPOINT: [{ refusal }],
	AUTHORIZATION_FAILED: [{ refusal }],
	WEBHOOK_SECRET_EMPTY: [{}],
	NOT_LISTED: [{ id: 'tsk_9d7f5g3h' }],
	UNEXPECTED: [{ reason: 'Something else' }],
	FIELD_EMPTY: [{ field: 'dossierId' }],
	FIELD_NOT_TEXT: [{ field: 'title' }],
	FIELD_NOT_CHOICE: [
		{ field: 'ifExists', chosen: 'overwrite', choices: ['fail', 'replace', 'skip', 'upload'] },
	],
	FIELD_NOT_ADDRESS: [{ field: 'fileUrl' }],
	FIELD_NOT_DATE: [{ field: 'dueAt' }],
	FIELD_NOT_NUMBER: [{ field: 'expiresInDays' }],
	FIELD_NOT_OBJECT: [{ field: 'furtherFields' }],
	FIELD_NOT_ROWS: [{ field: 'customFields' }],
	ROW_NOT_NAMED: [{ field: 'customFields' }],
	NOTHING_NAMED_SO: [{ field: 'dossierId', mode: 'reference', value: '2026-0042' }],
	SEVERAL_NAMED_SO: [{ field: 'dossierId', mode: 'reference', value: '2026-0042' }],
	NOTHING_AT_ID: [{ refusal: missing, field: 'dossierId', value: '2026-0042', other: 'reference' }],
	DOSSIER_NOT_CHOSEN: [{ field: 'dossierOfList' }],
	LIMIT_NOT_POSITIVE: [{ field: 'limit' }],
	NOTHING_TO_UPDATE: [{ field: 'fields' }],
	NOT_AN_IDENTIFIER: [{ id: '..' }],
	BINARY_FIELD_MISSING: [
		{ name: 'attachment', available: ['data'] },
		{ name: 'attachment', available: [] },
	],
	ITEM_WITHOUT_FILE: [{}],
	DOCUMENT_EXISTS: [{ fileName }],
	NOTHING_TO_COMPARE: [{ fileName }],
	SEVERAL_TO_REPLACE: [{ fileName, count: 3 }],
	SAME_FILE_NAME: [{ fileName, items: [0, 3] }, { fileName }],
	TOO_MANY_TO_DELETE: [{ count: 3, limit: 0, names: ['a.pdf', 'b.pdf', 'c.pdf'] }],
	FILES_IN_ROUNDS: [{ names: ['a.pdf', 'b.pdf'] }],
	NOT_REPLACED: [{ fileName, documentId: 'doc_5t9x0c7v' }],
	FILTER_IGNORED: [{ filter: 'status' }],
	LAST_RUN_UNKNOWN: [{}],
	DELETION_LEFT_OPEN: [{ field: 'operation' }],
	UNKNOWN_OPERATION: [{ resource: 'document', operation: 'sign' }],
	BASE_ADDRESS_EMPTY: [{ credential: 'dossierApi', field: 'baseUrl' }],
	BASE_ADDRESS_INVALID: [{ field: 'baseUrl' }],
	DIALECT_INVALID: [{ problems: [{ line: 3, message: '`dossier.fields.title` must be a text' }] }],
	LIVE_KEY_IN_SANDBOX: [{}],
	LIVE_KEY_MAY_NOT_WRITE: [{}],
	LIMIT_NOT_WHOLE: [{ credential: 'dossierApi', field: 'requestsPerMinute' }],
};

const isCode = (code: string): code is ProblemCode => code in facts;

/** The sentences of each sample. */
export function problemSamples(describe: typeof describeProblem, forms: Forms) {
	const tell = <Code extends ProblemCode>(code: Code) =>
		facts[code].map((one) => ({ code, ...describe(code, one, forms) }));
	return Object.keys(facts)
		.filter(isCode)
		.flatMap((code) => tell(code));
}
