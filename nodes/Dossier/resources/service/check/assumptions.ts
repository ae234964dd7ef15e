export const REFERENCE = "the service's reference";
const SUPPORT = 'the support of the service';
const DELIVERY = 'the headers of a delivery (Include Headers in the trigger)';
export const TRY_WRITING = 'Also Try Writing, with a test key';
const INVITING = 'an invitation of yours, with Raw Records';
const WORKSPACE = 'a call with the credential Dossier Workspace API';

/** The assumptions of docs/contract.md from A-01 on, each in a few words, and what tells about it if the check cannot. */
export const ASSUMPTIONS: ReadonlyArray<readonly [title: string, tells: string]> = [
	['How paths join the base address', REFERENCE],
	['Identifiers', 'nothing depends on it'],
	['Field names and times', 'a record with a time and a name of several words'],
	['The fields of a dossier', `${REFERENCE}, for the meaning of each field`],
	['The states of a dossier', REFERENCE],
	['The fields of a document', `${REFERENCE}, for the meaning of each field`],
	['Categories of documents', REFERENCE],
	['Portal users', REFERENCE],
	['Tasks', REFERENCE],
	['Audit log entries', REFERENCE],
	['How a file is uploaded', 'Also Try Writing, if the dialect has no upload.format'],
	['How a file is downloaded', TRY_WRITING],
	['What a success answers', TRY_WRITING],
	['Lists and their pages', TRY_WRITING],
	['Filters and sorting', REFERENCE],
	['PUT and PATCH', REFERENCE],
	['Deleting a dossier', REFERENCE],
	['The details of a refusal', TRY_WRITING],
	['400 or 422', REFERENCE],
	['Error codes', REFERENCE],
	['The order of checks', 'nothing depends on it'],
	['Whether X-Organization-ID is required', 'nothing depends on it'],
	['Keys and scopes', 'a key that lacks a permission'],
	['Rate-limit windows', 'an answer with status 429'],
	['Plans below Business, and the sandbox', SUPPORT],
	['How large files and pages may be', REFERENCE],
	['Invitations to the portal', INVITING],
	['Invitations by QR code', INVITING],
	['Sign-in by magic link', 'a sign-in of yours'],
	['Sign-in by SMS code', 'a sign-in of yours'],
	['The session of a portal user', 'a sign-in of yours'],
	['Authentication of customers and operators', WORKSPACE],
	['Workspace bootstrap', WORKSPACE],
	['Customer writes', WORKSPACE],
	['Operator requests', WORKSPACE],
	['Health check', 'the operation Check Health'],
	['Export of the audit log', 'the operation Export of Audit Log'],
	['Registration of webhooks', 'a published workflow with the trigger'],
	['The signature of a delivery', DELIVERY],
	['Deliveries and their retries', "the service's log of deliveries"],
	['Which operation causes which event', 'an event, with Raw Records in the trigger'],
	['Repeated events', DELIVERY],
	['Idempotent requests', REFERENCE],
	['Other versions', REFERENCE],
	['Request ids', 'an answer with an error'],
];

/** What a fact or a part of the dialect is; `undefined` if the service has no such thing. */
export type Fact = string | number | boolean | undefined;

/** What can be seen of the assumptions: parts of a dialect, under their paths, and other facts; each as docs/contract.md has it. */
export const USUAL: ReadonlyArray<readonly [assumption: string, part: string, usual: Fact]> = [
	['A-01', 'status of /api/v1/health', 200],
	['A-03', 'naming', 'snake_case'],
	['A-03', 'times', 'iso'],
	['A-03', 'zone of times', 'UTC'],
	// No check sees all names.
	['A-04', 'dossier.fields', ''],
	['A-06', 'document.fields', ''],
	['A-08', 'portalUser.fields', ''],
	['A-09', 'task.fields', ''],
	['A-10', 'auditEntry.fields', ''],
	['A-11', 'upload.format', undefined],
	['A-12', 'download.answer', 'bytes'],
	['A-12', 'file name of a download', true],
	['A-13', 'record.envelope', undefined],
	['A-13', 'record.attributes', undefined],
	['A-13', 'status of a creation', 201],
	['A-13', 'status of a deletion', '200 with "deleted": true'],
	['A-14', 'list.envelope', 'data'],
	['A-14', 'list.style', 'page'],
	['A-14', 'list.page', 'page'],
	['A-14', 'list.firstPage', 1],
	['A-14', 'list.size', 'per_page'],
	['A-14', 'list.total', 'pagination.total'],
	['A-18', 'errors.details', 'error.details'],
	['A-18', 'errors.field', 'field'],
	['A-18', 'errors.message', 'message'],
	['A-18', 'errors.code', 'code'],
];
