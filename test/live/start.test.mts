/** `npm start` as a person sees it: n8n has every example, and each runs as it is unless it needs a value first. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AxiosInstance } from 'axios';
import type { Browser } from 'playwright-core';
import {
	activateWorkflow,
	awaitExecution,
	listExecutions,
	signIn,
} from '../../scripts/host/rest.mts';
import type { Session, StoredWorkflow } from '../../scripts/host/rest.mts';
import { complaints, runStored } from '../../scripts/host/executions.mts';
import { openService } from '../../scripts/process/sandbox.mts';
import { startGroup } from '../../scripts/process/group.mts';
import { findToolchain } from '../../scripts/process/toolchain.mts';
import { launchBrowser, openWindow } from '../../scripts/editor/browser.mts';
import { askFor } from './examples/askClient.mts';
import { fillIn } from './examples/inviteByQr.mts';
import { connect } from './examples/mcpServer.mts';
import { publishForm } from './examples/imported.mts';
import { addDocument, dossierWith } from './examples/records.mts';
import { openLifecycle } from '../../scripts/process/lifecycle.mts';
import { OPENING_MS, root } from './live.mts';
import { until } from '../../scripts/process/until.mts';

/** Examples that a person starts, and that need nothing but the sandbox. */
const BY_HAND = [
	'Check contract',
	'Document intake',
	'Dossier export',
	'Folder sync',
	'New dossiers',
	'Audit export',
];
/** Examples that start when somebody uploads a document. */
const BY_EVENT = ['Document received', 'Client answered', 'Review task'];

const { lifecycle, close } = openLifecycle();
afterAll(close);

let printed: string;
let session: Session;
let service: AxiosInstance;
let workflows: StoredWorkflow[];

/** The value that the start prints after a label. */
const readPrinted = (label: string) =>
	new RegExp(`^ *${label} +(\\S+)`, 'm').exec(printed)?.[1] ?? '';

/** The workflow of this name in n8n. */
async function readStored(name: string): Promise<StoredWorkflow> {
	const id = workflows.find((workflow) => workflow.name === name)?.id;
	return (await session.get<{ data: StoredWorkflow }>(`/workflows/${id}`)).data.data;
}

const origin = () => new URL(readPrinted('Open the workflow')).origin;

const findDossier = async (reference: string) => (await dossierWith({ service }, reference)) ?? '';

/** How the newest execution of a workflow ends: its status, or the errors of its nodes. */
async function awaitRun(name: string): Promise<unknown> {
	const stored = await readStored(name);
	const readNewest = async () => (await listExecutions(session, stored))[0];
	const run = await until(`run of ${name}`, readNewest);
	const { status, data } = await awaitExecution(session, run.id, lifecycle.signal);
	const found = complaints(data);
	return found.length ? found : status;
}

beforeAll(async () => {
	const { node, env } = await findToolchain(root);
	const command = ['scripts/start.mts', '--files', join(root, 'examples/files')];
	const group = startGroup(lifecycle, node, command, { cwd: root, env, graceMs: 30_000 });
	printed = await until(
		'address',
		async () => {
			const lines = await Promise.resolve(group.tail().join('\n'));
			return lines.includes('Press Ctrl-C to stop.') && lines;
		},
		10,
	);
	session = await signIn(origin(), {
		emailOrLdapLoginId: readPrinted('sign in with'),
		password: readPrinted('password'),
	});
	const organization = { id: readPrinted('organization'), testKey: readPrinted('test key') };
	service = openService(readPrinted('Sandbox URL'), organization);
	workflows = (await session.get<{ data: StoredWorkflow[] }>('/workflows')).data.data;
}, OPENING_MS);

it('imports every example, with a credential in every Dossier node', async () => {
	const files = (await readdir(join(root, 'examples'))).filter((name) => name.endsWith('.json'));
	const names = await Promise.all(
		files.map(async (file) => {
			const { name } = JSON.parse(
				await readFile(join(root, 'examples', file), 'utf8'),
			) as StoredWorkflow;
			return name;
		}),
	);
	expect(workflows.map(({ name }) => name).sort()).toEqual(names.sort());
	const withoutCredential: string[] = [];
	for (const { name } of workflows) {
		const { nodes } = await readStored(name);
		const own = nodes.filter(({ credentials }) => credentials?.dossierApi);
		withoutCredential.push(
			...own
				.filter(({ credentials }) => !credentials?.dossierApi?.id)
				.map((node) => `${name}: ${node.name}`),
		);
	}
	expect(withoutCredential).toEqual([]);
});

it.each(BY_HAND)('runs "%s" as it is', async (name) => {
	const { signal } = lifecycle;
	const { status, data } = await runStored({ session, signal }, await readStored(name));
	expect([status, complaints(data)]).toEqual(['success', []]);
});

it('writes the exports into the folder that it prints', async () => {
	const folder = readPrinted('n8n writes to');
	expect(await readdir(join(folder, 'export'))).toContain('manifest.csv');
	expect(await readdir(join(folder, 'audit-log'))).toHaveLength(7);
});

it('runs the examples with a trigger after an upload', async () => {
	for (const name of BY_EVENT) await activateWorkflow(session, await readStored(name));
	await until('registration of each', async () => {
		const { data } = await service.get<{ data: unknown[] }>('/webhooks');
		return data.data.length === BY_EVENT.length;
	});
	await addDocument({ service }, await findDossier('2026-001'), 'letter.txt');
	for (const name of BY_EVENT) expect(await awaitRun(name)).toEqual('success');
});

it("keeps n8n's log in the file that it prints", async () => {
	const { data } = await service.get<{ data: Array<{ url: string }> }>('/webhooks');
	for (const { url } of data.data) {
		const answer = await fetch(url, { method: 'POST', body: '{}' });
		expect(answer.status).toBe(401);
	}
	await until('warning in the log', async () =>
		(await readFile(readPrinted("n8n's log"), 'utf8')).includes('refused a delivery'),
	);
});

describe('Examples with a form', () => {
	let browser: Browser;
	beforeAll(async () => {
		browser = await launchBrowser();
	});
	afterAll(() => browser.close());

	/** Publishes the workflow of a form, and opens a window with the printed account for it. */
	async function openForm(name: string) {
		const account = { username: readPrinted('sign in with'), password: readPrinted('password') };
		const form = await publishForm(session, origin(), await readStored(name), account);
		return { form, page: await openWindow(browser, form, { httpCredentials: account }) };
	}

	it('invite a client by a QR code', async () => {
		const { form, page } = await openForm('Invite by QR');
		await fillIn(page, form, '2026-001');
		await page.getByRole('img', { name: 'QR code' }).waitFor();
	});

	it('ask a client, wait, and go on once a document arrives', async () => {
		const example = 'Ask client';
		const { form, page } = await openForm(example);
		await askFor(page, form, 'start');
		await until('waiting execution', async () => {
			const [run] = await listExecutions(session, await readStored(example));
			return run?.status === 'waiting';
		});
		await addDocument({ service }, await findDossier('A-start'), 'letter.txt');
		expect(await awaitRun(example)).toBe('success');
	});
});

it('offers its tools to an MCP client that has the printed password', async () => {
	await activateWorkflow(session, await readStored('MCP server'));
	const address = new URL(`${origin()}/mcp/dossier`);
	const client = await until('answer of the MCP server', async () =>
		connect(address, readPrinted('password')),
	);
	const found = await client.callTool({ name: 'find_dossiers', arguments: { Search: 'Müller' } });
	expect(JSON.stringify(found)).toContain('2026-001');
	await client.close();
});
