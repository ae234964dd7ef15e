import type { ICredentialDataDecryptedObject, IDataObject, INodeParameters } from 'n8n-workflow';
import { parseDialect } from '../../../nodes/Dossier/dialect/check';
import { toText } from '../../../nodes/Dossier/api/json';
import { readBinary, runDossier, useBinaryMode } from '../n8n.mts';
import { uploadTo } from '../requests.mts';
import { useMany } from '../started.mts';
import { untilTrue } from '../triggers.mts';
import { byId, PROFILES, startService } from '../service.mts';
import { startForeignService } from './foreignService.mts';
import { MANNERS, refuse } from './manners.mts';

beforeAll(async () => await useBinaryMode('default'));

const startForeign = useMany(startForeignService);
const startSandbox = useMany(startService);

type Credential = ICredentialDataDecryptedObject;

async function runCheck(credential: Credential, parameters: INodeParameters = {}) {
	return await runDossier({
		parameters: { resource: 'service', operation: 'checkContract', ...parameters },
		credential,
	});
}

async function check(credential: Credential, parameters: INodeParameters = { tryWriting: true }) {
	const { items, error } = await runCheck(credential, parameters);
	expect(error).toBeUndefined();
	const outputs = items.map(({ json }) => json);
	const summary = outputs.at(-1) ?? {};
	const dialect = toText(summary.dialect) ?? '';
	const asked = (summary.questions as IDataObject[]).map(({ path }) => path);
	const problems = parseDialect(dialect).problems ?? [];
	expect(
		problems.map(({ message }) => message.match(/`(.+)` is still a question/)?.[1]).sort(),
	).toEqual(asked.sort());
	const verdicts = Object.fromEntries(
		outputs.slice(0, -1).map((finding) => [finding.assumption, finding.verdict]),
	);
	return { outputs, summary, dialect, asked, verdicts };
}

/** Answers every question with: it is as assumed. */
const removeQuestions = (dialect: string) =>
	JSON.stringify(JSON.parse(dialect, (_, value: unknown) => (value === '?' ? undefined : value)));

/** What everybody does with the service first: cases and files, each made once and found again. */
async function doCoreJob(credential: Credential): Promise<void> {
	const run = async (resource: string, operation: string, parameters: INodeParameters) => {
		const file = { fileName: 'Prüfung.txt', content: Buffer.from('content') };
		const { items, error } = await runDossier({
			parameters: { resource, operation, ...parameters },
			credential,
			items: [{ json: {}, files: { data: file } }],
		});
		expect(error).toBeUndefined();
		return items;
	};
	const upsert = async (title: string) => {
		const fields = { description: 'Long', tags: 'a', status: 'open' };
		const [item] = await run('dossier', 'upsert', { reference: 'R1', title, fields });
		return item?.json ?? {};
	};
	const created = await upsert('First');
	expect(created.created).toBe(true);
	const id = toText(created.id) ?? '';
	const read = async () => {
		const [item] = await run('dossier', 'get', { dossierId: byId(id) });
		return item?.json;
	};
	expect(await read()).toMatchObject({ id: created.id, reference: 'R1', title: 'First' });
	expect(await upsert('Second')).toMatchObject({ id: created.id, created: false });
	const second = { id: created.id, reference: 'R1', title: 'Second', description: 'Long' };
	expect(await read()).toMatchObject({ ...second, status: 'open', tags: ['a'] });
	await run('dossier', 'update', { dossierId: byId(id), fields: { addTags: 'b' } });
	expect(await read()).toMatchObject({ ...second, tags: ['a', 'b'] });
	const upload = async () => {
		const [item] = await run(
			'document',
			'upload',
			uploadTo(id, { ifExists: 'skip', category: 'tax' }),
		);
		return item?.json ?? {};
	};
	const uploaded = await upload();
	expect(uploaded).toMatchObject({ file_name: 'Prüfung.txt', category: 'tax', size_bytes: 7 });
	const again = { id: uploaded.id, file_name: 'Prüfung.txt', skipped: true };
	expect(await upload()).toMatchObject(again);
	const documentId = byId(uploaded.id);
	const [downloaded] = await run('document', 'download', { documentId });
	expect((await readBinary(downloaded?.binary?.data)).toString()).toBe('content');
	expect(downloaded?.binary?.data?.fileName).toBe('Prüfung.txt');
	const others = ['Third', 'Fourth', 'Fifth', 'Sixth'];
	const fields = { status: 'closed' };
	for (const title of others) await run('dossier', 'create', { title, fields });
	const list = async (filters: INodeParameters) => {
		const found = await run('dossier', 'getAll', { returnAll: true, output: 'raw', filters });
		return found.map(({ json }) => json.title).sort();
	};
	expect(await list({})).toEqual(['Second', ...others].sort());
	expect(await list({ status: 'closed' })).toEqual(others.sort());
}

describe.each(Object.entries(MANNERS))('A service that speaks %s', (name, manners) => {
	it('is asked about if nothing is known of it, and left without a trace', async () => {
		const service = await startForeign(manners);
		const { summary, asked, dialect } = await check({ ...service.credential, dialect: '' });
		expect(service.countRequests()).toBeLessThanOrEqual(40);
		expect(summary).toMatchObject({ requests: service.countRequests(), left: '' });
		expect(service.store).toEqual({ dossiers: [], documents: [], tasks: [] });
		if (name !== 'camelCase') expect(asked).toContain('dossier.fields.title');
		// A word that looks like one of the contract is not taken for it.
		expect(dialect).not.toContain('IN_PROGRESS');
	});

	it('works with the dialect that a person wrote and the check has completed', async () => {
		const service = await startForeign(manners);
		const { dialect, asked } = await check(service.credential);
		// What the service does not show, and what it has and nobody asked for, is no part of the job.
		expect(
			asked.filter(
				(path) =>
					!/^(task|auditEntry|portalUser)\.|_at$|^document\.fields\.(title|custom_fields)$/.test(
						toText(path) ?? '',
					),
			),
		).toEqual([]);
		expect(JSON.parse(dialect)).toMatchObject(manners.dialect);
		expect(service.store).toEqual({ dossiers: [], documents: [], tasks: [] });
		await doCoreJob({ ...service.credential, dialect: removeQuestions(dialect) });
	});
});

it('takes no field for an envelope if the service takes an object for its text', async () => {
	const service = await startForeign({
		...MANNERS.strict,
		fields: ({ check_contract: _, ...body }) => body,
	});
	const { dialect } = await check(service.credential);
	expect(JSON.parse(dialect)).not.toHaveProperty('record');
});

it('makes a dossier of a type that the service has, if it takes no other', async () => {
	const manners = MANNERS.camelCase;
	const service = await startForeign({
		...manners,
		fields: (body) =>
			body.type === 'client' ? manners.fields(body) : refuse(422, 'The type is unknown'),
	});
	const there = { [manners.idName]: 'there', title: 'There', type: 'client' };
	service.store.dossiers.push(there);
	const { dialect, asked } = await check(service.credential);
	expect(JSON.parse(dialect)).toMatchObject(manners.dialect);
	expect(asked).not.toContain('record.sendIn');
	expect(service.store).toEqual({ dossiers: [there], documents: [], tasks: [] });
});

it('does not doubt a name that it sees in its own record and not in that of another', async () => {
	const manners = MANNERS.camelCase;
	const dossier = { ...(manners.dialect.dossier as object), fields: { description: 'summary' } };
	const service = await startForeign({ ...manners, dialect: { ...manners.dialect, dossier } });
	service.store.dossiers.push({ [manners.idName]: 'there', title: 'There', note: 'text' });
	const { summary } = await check(service.credential);
	expect(summary.page).not.toContain('dossier.fields.description`');
});

describe.each(PROFILES)('The sandbox under the profile %s', (profile) => {
	it('is found out, and works with the dialect that was found', async () => {
		const service = await startSandbox({ profile });
		const { asked, dialect, outputs, summary, verdicts } = await check(service.credential);
		expect(asked).toEqual([]);
		expect(outputs).toHaveLength(46);
		expect(Number(summary.requests)).toBeLessThanOrEqual(40);
		expect(summary.left).toBe('');
		expect(await service.list('/dossiers')).toEqual([]);
		expect(summary.page).toMatch(
			/^\*\*Paste the dialect into the credential\.\*\* The answers fit the dialect\.\n/,
		);
		expect(summary.page).not.toContain('Replace each');
		expect(JSON.stringify(outputs)).not.toContain(service.organization.testKey);
		await doCoreJob({ ...service.credential, contractOverrides: true, dialect });
		const expected: Record<string, IDataObject> = {
			default: {
				'A-01': 'holds',
				'A-03': 'holds',
				'A-04': 'unknown',
				'A-06': 'unknown',
				'A-07': 'unknown',
				'A-11': 'holds',
				'A-12': 'holds',
				'A-13': 'holds',
				'A-14': 'holds',
				'A-18': 'holds',
			},
			alternate: { 'A-11': 'differs', 'A-12': 'differs', 'A-13': 'differs', 'A-14': 'differs' },
		};
		expect(verdicts).toMatchObject(expected[profile] ?? {});
	});

	it('is only read unless the check may write', async () => {
		const service = await startSandbox({ profile });
		await service.create('/dossiers', { title: 'Secret of the client' });
		const before = await service.list('/dossiers');
		const { outputs, verdicts } = await check(service.credential, {});
		expect(await service.list('/dossiers')).toEqual(before);
		expect(JSON.stringify(outputs)).not.toContain('Secret of the client');
		expect(verdicts['A-04']).not.toBe('holds');
		expect(verdicts['A-39']).toBe('unknown');
	});
});

it('does not write with a live key unless the form allows it', async () => {
	const service = await startSandbox();
	const live = { ...service.credential, apiKey: service.organization.liveKey };
	const { error } = await runCheck(live, { tryWriting: true });
	expect(error?.message).toContain('production data');
	expect(error?.description).toContain("'Write With a Live Key'");
	const { error: none } = await runCheck(live, { tryWriting: true, writeLive: true });
	expect(none).toBeUndefined();
});

it('deletes what it made also if the execution is cancelled', async () => {
	const service = await startForeign(MANNERS['JSON:API']);
	const { error } = await runDossier({
		parameters: { resource: 'service', operation: 'checkContract', tryWriting: true },
		credential: service.credential,
		cancelWhen: service.upload,
	});
	expect(error).toBeDefined();
	// n8n does not wait for a cancelled node.
	await untilTrue(() => service.store.dossiers.length === 0);
	expect(service.store.documents).toEqual([]);
});
