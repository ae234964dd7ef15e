/** Parts of a dialect that Check Contract proves, and those that it must not conclude. */
import axios from 'axios';
import type { Dialect } from '../../../sandbox/src/index.mts';
import { toText } from '../../../nodes/Dossier/api/json';
import { runDossier, useBinaryMode } from '../n8n.mts';
import { speaking } from '../requests.mts';
import { useService } from '../service.mts';

beforeAll(async () => await useBinaryMode('default'));

const service = useService();
/** Its answers have headers about the rate limit. */
const limited = useService({ rateLimits: 'plan' });

async function check(spoken: Dialect, given: Dialect = {}, at = service) {
	await axios.put(`${at.url}/_sandbox/api/dialect`, spoken);
	const { items, error } = await runDossier({
		parameters: { resource: 'service', operation: 'checkContract', tryWriting: true },
		credential: { ...at.credential, ...speaking(given) },
	});
	expect(error).toBeUndefined();
	const outputs = items.map(({ json }) => json);
	const summary = outputs.at(-1);
	expect(summary?.left).toBe('');
	const verdicts = Object.fromEntries(
		outputs.map(({ assumption, verdict }) => [assumption, verdict]),
	);
	return {
		dialect: JSON.parse(toText(summary?.dialect) ?? '') as Dialect,
		page: toText(summary?.page) ?? '',
		verdicts,
	};
}

/** The parts that the page lists as given, but not seen. */
async function listUnseen(spoken: Dialect, given: Dialect) {
	const { id, testKey } = await limited.sandbox.createOrganization({ plan: 'enterprise' });
	const credential = { ...limited.credential, organizationId: id, apiKey: testKey };
	const { page } = await check(spoken, given, { ...limited, url: limited.url, credential });
	const [, list = ''] = page.split('## Given, but not seen\n\n');
	return list.split('\n\n')[0]?.match(/(?<=^- `).+?(?=`)/gm) ?? [];
}

/** What is proven, by the dialect that the service speaks, and the part of it that a person gave. */
const rows: Array<[what: string, spoken: Dialect, given?: Dialect]> = [
	[
		'the checksum of a document, by its value',
		{ document: { fields: { checksum_sha256: 'digest' } } },
	],
	['the identifier of a record without an envelope', { dossier: { fields: { id: 'uid' } } }],
	['times that are numbers of seconds', { times: 'epochSeconds' }],
	['times that are numbers of milliseconds', { times: 'epochMilliseconds' }],
	['names in capitals, by several names of the contract', { naming: 'camelCase' }],
	['a list inside an object of its kind', { list: { envelope: '{kinds}.{kind}' } }],
	['an offset', { list: { style: 'offset', total: 'count' } }],
	[
		'an envelope and the object with the fields',
		{ record: { envelope: 'result.{kind}', attributes: 'body' } },
	],
	[
		'where details stand',
		{ errors: { details: 'problems', field: 'at', message: 'text', code: 'rule' } },
	],
	['the base64 content of a download', { download: { answer: 'content', content: 'file.base64' } }],
	['the address of a download', { download: { answer: 'address', address: 'file.href' } }],
	[
		'a form with one part for all fields',
		{ upload: { format: 'multipart', file: 'blob', fieldsIn: 'meta' } },
		{ upload: { file: 'blob', fieldsIn: 'meta' } },
	],
];

it.each(rows)('proves %s', async (_, spoken, given = {}) => {
	expect((await check(spoken, given)).dialect).toMatchObject(spoken);
});

it('proves whether unknown fields or parameters are refused, and where the pages begin', async () => {
	const strictness = async (strict: Dialect['strict']) => (await check({ strict })).dialect.strict;
	expect(await strictness({ bodies: true })).toEqual({ bodies: true, queries: false });
	expect(await strictness({ queries: true })).toEqual({ bodies: false, queries: true });
	const { dialect: fromZero } = await check({ list: { style: 'page', firstPage: 0 } });
	expect(fromZero).toMatchObject({ list: { firstPage: 0 } });
	const spoken: Dialect = { list: { style: 'page', size: 'limit', page: 'p' } };
	const { dialect: named } = await check(spoken, { list: { page: 'p' } });
	expect(named).toMatchObject({ list: { size: 'limit', page: 'p' } });
});

it('asks how names are written if fields have swapped theirs, and finds it once that is known', async () => {
	const fields = { reference: 'created_by', created_by: 'reference' };
	const swapped = { user_agent: 'ip_address', ip_address: 'user_agent' };
	const spoken: Dialect = {
		naming: 'camelCase',
		strict: { bodies: true },
		dossier: { fields },
		auditEntry: { fields: swapped },
	};
	const { dialect, page } = await check(spoken);
	expect(dialect).toMatchObject({ naming: '?' });
	expect(page).toMatch(/- `naming`: .*ip\\_address.*createdAt/);
	expect((await check(spoken, { dossier: { fields } })).dialect.naming).toBe('camelCase');
});

it('asks for a name with what it saw, and does not conclude it from its sound', async () => {
	const { dialect, page } = await check({ dossier: { fields: { reference: 'caseNumber' } } });
	expect(dialect).toMatchObject({ dossier: { fields: { reference: '?' } } });
	expect(page).toMatch(/- `dossier\.fields\.reference`: Seen: .*caseNumber \(empty\)/);
});

it('asks how large a page can be, with what the service said', async () => {
	const { dialect, page } = await check({ list: { largestSize: 7 } });
	expect(dialect.list).toMatchObject({ largestSize: '?' });
	expect(page).toMatch(/- `list\.largestSize`: a page of 100 is refused with 4\d\d .*7/);
	const { page: answered } = await check(
		{ list: { largestSize: 7 } },
		{ list: { largestSize: 7 } },
	);
	expect(answered).not.toContain('`list.largestSize`');
});

it('asks for a field that the service takes and does not keep', async () => {
	const { dialect, page } = await check({ dossier: { readOnly: ['description'] } });
	expect(dialect).toMatchObject({ dossier: { fields: { description: '?' } } });
	expect(page).toMatch(
		/- `dossier\.fields\.description`: without what was written: .*readOnly\. Seen: description \(empty\)/,
	);
});

it('shows a wrong name that a person gave, and says so first', async () => {
	const fields = { description: 'summary' };
	const { page } = await check({}, { dossier: { fields } });
	expect(page).toMatch(
		/^[^\n]*Look whether what was given, but not seen, is right\.\*\* Otherwise, the answers fit/,
	);
	expect(page).toMatch(
		/## Given, but not seen\n\n- `dossier\.fields\.description`: .*description \(/,
	);
});

it.each<[line: string, given: Dialect]>([
	['`download.answer`: "content" was given. Seen: "bytes"', { download: { answer: 'content' } }],
	[
		'`errors.details`: "problems" was given. Seen: "error.details"',
		{ errors: { details: 'problems' } },
	],
	['`record.envelope`: "result" was given. Seen: none', { record: { envelope: 'result' } }],
	['`strict.bodies`: true was given. Seen: false', { strict: { bodies: true } }],
	['`list.firstPage`: 0 was given. Seen: 1', { list: { style: 'page', firstPage: 0 } }],
])('says that an answer has contradicted what a person gave: %s', async (line, given) => {
	const { page } = await check({}, given);
	expect(page).toMatch(/^[^\n]*\*\* Answers contradict what was given: see \*Corrected\*\.\n/);
	expect(page).toContain(`## Corrected\n\n- ${line}\n\n`);
});

it('shows how a file is handed out if a person gave that and there was no file', async () => {
	const given: Dialect = { upload: { format: 'json' }, download: { answer: 'bytes' } };
	expect(await listUnseen({ upload: { format: 'multipart' } }, given)).toContain('download.answer');
	expect(await listUnseen({}, given)).toEqual([]);
});

it.each<[unseen: string[], rateLimit: Dialect['rateLimit'], spoken: Dialect['rateLimit']]>([
	[['limit'], { limit: 'X-Quota' }, {}],
	[['reset'], { reset: 'X-Quota-Reset' }, {}],
	[['resetUnit'], { resetUnit: 'seconds' }, {}],
	[['resetUnit'], { resetUnit: 'epochSeconds' }, { resetUnit: 'seconds' }],
	[['resetUnit'], { resetUnit: 'date' }, {}],
	[[], { limit: 'X-Quota', resetUnit: 'date' }, { limit: 'X-Quota', resetUnit: 'date' }],
	[[], { reset: 'X-Quota-Reset' }, { reset: 'X-Quota-Reset' }],
	[[], { retryAfter: 'X-Wait' }, {}],
])('shows %j of a rate limit that a person gave as %j', async (unseen, rateLimit, spoken) => {
	const paths = unseen.map((part) => `rateLimit.${part}`);
	expect(await listUnseen({ rateLimit: spoken }, { rateLimit })).toEqual(paths);
});

it('asks for a name that another field was proven to have', async () => {
	const fields = { checksum_sha256: 'title', title: 'label' };
	const { dialect, page } = await check({ document: { fields } });
	expect(dialect).toMatchObject({
		document: { fields: { checksum_sha256: 'title', title: '?' } },
	});
	expect(page).toContain('Answer the ');
});

it('asks for a field whose name may be that of another field', async () => {
	const fields = { description: 'closed_at', closed_at: 'description' };
	const { dialect } = await check({ dossier: { fields } });
	expect(dialect.dossier?.fields).toMatchObject({ description: '?' });
});

it('asks for the words of a set, and writes none that it did not see', async () => {
	const { dialect } = await check({
		dossier: { values: { status: { open: 'Open', in_progress: 'In_progress' } } },
	});
	expect(dialect.dossier?.values?.status).toEqual({ open: '?' });
});

it('says nothing about the filters of a service that ignores what it does not know', async () => {
	const { dialect, verdicts } = await check({
		strict: { bodies: true },
		dossier: { filters: { q: null, reference: 'ref' } },
	});
	expect(dialect.dossier?.filters).toBeUndefined();
	expect(verdicts['A-15']).toBe('unknown');
});

it('asks once for the filters of a list whose service refuses them', async () => {
	const { dialect, verdicts } = await check({
		strict: { queries: true },
		dossier: { filters: { q: null } },
	});
	expect(dialect.dossier).toMatchObject({ filters: '?' });
	// It may have refused a value.
	expect(verdicts['A-15']).toBe('unknown');
});

it('takes what a person gave for no proof that the service differs', async () => {
	const { verdicts } = await check({}, { upload: { format: 'json' }, list: { style: 'none' } });
	expect(verdicts).toMatchObject({ 'A-11': 'unknown', 'A-14': 'unknown' });
});

it('takes a form that is refused for its fields for no proof about the format', async () => {
	const { dialect } = await check(
		{ document: { fields: { category: 'meta.kind' } } },
		{ document: { fields: { category: 'meta.kind' } } },
	);
	expect(dialect.upload?.format).toBeUndefined();
});

it('sees a day where the dialect says that a request writes one', async () => {
	const dossier: Dialect['dossier'] = { formats: { due_at: 'date' } };
	expect((await check({ dossier }, { dossier })).page).not.toContain('dossier.fields.due_at');
});

it('asks where a file goes that follows its document, and proves the answer', async () => {
	const upload: Dialect['upload'] = {
		format: 'separate',
		address: 'upload.url',
		headers: 'upload.headers',
		confirm: '/v1/documents/{id}/confirm',
	};
	const { dialect, page } = await check({ upload });
	const asked = Object.fromEntries(Object.keys(upload).map((part) => [part, '?']));
	expect(dialect.upload).toEqual(asked);
	expect(page).toContain('Seen: upload.url');
	const given = await check({ upload }, { upload });
	expect(given.dialect.upload).toEqual(upload);
	expect(given.verdicts['A-11']).toBe('differs');
	expect(given.page).not.toContain('## Questions');
	const unconfirmed = { ...upload, confirm: undefined };
	expect((await check({ upload }, { upload: unconfirmed })).dialect.upload).toMatchObject({
		confirm: '?',
	});
	const wrong = await check({ upload }, { upload: { ...upload, address: 'upload.href' } });
	expect(wrong.page).toContain('## Given, but not seen');
});

describe('A file that follows its document', () => {
	const upload: Dialect['upload'] = { format: 'separate', address: '/v1/documents/{id}/content' };
	afterEach(async () => await service.sandbox.faults.clear());

	it('is sent again if the connection breaks, so that nothing is doubted', async () => {
		const request_headers = { 'content-type': 'text/plain' };
		await service.sandbox.faults.add({
			operation: '*',
			request_headers,
			connection: 'before',
			times: 1,
		});
		const { page, verdicts } = await check({ upload }, { upload });
		expect(await service.sandbox.faults.list()).toMatchObject([{ hits: 1 }]);
		expect(page).not.toContain('upload.address');
		expect(verdicts['A-11']).toBe('differs');
	});

	it('is asked for again while it is scanned', async () => {
		await service.sandbox.faults.add({
			operation: 'documents.download',
			status: 423,
			code: 'SCANNED',
			times: 1,
		});
		const given: Dialect = { upload, download: { notReady: 'SCANNED' } };
		const { verdicts } = await check({ upload }, given);
		expect(verdicts).toMatchObject({ 'A-11': 'differs', 'A-12': 'holds' });
	});

	it('is asked for by the code of its scan, if the dialect has a request that confirms it', async () => {
		const confirmed = { ...upload, confirm: '/v1/documents/{id}/confirm' };
		await service.sandbox.faults.add({
			operation: 'documents.download',
			status: 423,
			code: 'SCANNED',
		});
		const { page } = await check({ upload: confirmed }, { upload: confirmed });
		expect(page).toMatch(/- `download.notReady`: .*SCANNED/);
		expect(page).not.toContain('- `upload.confirm`');
	});
});
