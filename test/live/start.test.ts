/** `npm start` as a person meets it: every example is in n8n and runs exactly as it is; a mailbox, a chat and a model are local ones. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import axios from 'axios';
import type { AxiosInstance } from 'axios';
import type { INode } from 'n8n-workflow';
import type { Browser } from 'playwright-core';
import { openReceiver } from '../../sandbox/test/receiver.ts';
import {
	activateWorkflow,
	awaitExecution,
	createCredential,
	listExecutions,
	saveNodes,
} from '../../scripts/host/rest.ts';
import type { Session, StoredWorkflow } from '../../scripts/host/rest.ts';
import { withCredentials } from '../../scripts/intake/examples.ts';
import { complaints, runStored } from '../../scripts/host/executions.ts';
import { withSettings } from '../../scripts/intake/workflow.ts';
import { startGroup } from '../../scripts/process/group.ts';
import { findToolchain } from '../../scripts/process/toolchain.ts';
import { launchBrowser, openWindow } from './browser.ts';
import { askFor } from './examples/askClient.ts';
import { fillIn } from './examples/inviteByQr.ts';
import { openMailbox } from './examples/mailbox.ts';
import { connect } from './examples/mcpServer.ts';
import { startModelServer } from './examples/modelServer.ts';
import { publishForm } from './examples/imported.ts';
import { addDocument, dossierWith } from './examples/records.ts';
import { openLifecycle } from './lifecycle.ts';
import { OPENING_MS, root } from './live.ts';
import { until } from '../../scripts/process/until.ts';

/** They begin by hand and need nothing but the sandbox. */
const BY_HAND = [
	'Check the contract of the service',
	'Document intake',
	'Export a dossier',
	'Keep a folder and a dossier in step',
	'New dossiers',
	'Nightly audit export',
];
/** They begin when a document is uploaded. */
const BY_EVENT = [
	'Document received',
	'Resume when a document arrives',
	'Review task for each document',
];

const { lifecycle, close } = openLifecycle();
afterAll(close);

let printed: string;
let session: Session;
let service: AxiosInstance;
let workflows: StoredWorkflow[];

/** What the start prints behind a word. */
const readPrinted = (word: string) =>
	new RegExp(`^ *${word} +(\\S+)`, 'm').exec(printed)?.[1] ?? '';

/** The stored workflow of a name. */
async function readStored(name: string): Promise<StoredWorkflow> {
	const id = workflows.find((workflow) => workflow.name === name)?.id;
	return (await session.get<{ data: StoredWorkflow }>(`/workflows/${id}`)).data.data;
}

const origin = () => new URL(readPrinted('Open the workflow')).origin;

const findDossier = async (reference: string) => (await dossierWith({ service }, reference)) ?? '';

/** How the newest execution of a workflow ends: its status, or what its nodes complain about. */
async function awaitRun(name: string): Promise<unknown> {
	const stored = await readStored(name);
	const look = async () => (await listExecutions(session, stored))[0];
	const run = await until(`run of ${name}`, look);
	const { status, data } = await awaitExecution(session, run.id, lifecycle.signal);
	const found = complaints(data);
	return found.length ? found : status;
}

beforeAll(async () => {
	const { node, env } = await findToolchain(root);
	const command = ['scripts/start.ts', '--files', join(root, 'examples/files')];
	const group = startGroup(lifecycle, node, command, { cwd: root, env, graceMs: 30_000 });
	printed = await until(
		'address',
		async () => {
			const lines = await Promise.resolve(group.tail().join('\n'));
			return lines.includes('Press Ctrl-C to stop.') && lines;
		},
		10,
	);
	session = axios.create({
		baseURL: `${origin()}/rest`,
		proxy: false,
		validateStatus: () => true,
	});
	const account = {
		emailOrLdapLoginId: readPrinted('sign in with'),
		password: readPrinted('password'),
	};
	const { headers } = await session.post('/login', account);
	session.defaults.headers.common.Cookie = headers['set-cookie']?.[0]?.split(';')[0];
	service = axios.create({
		baseURL: readPrinted('API'),
		proxy: false,
		headers: {
			Authorization: `Bearer ${readPrinted('test key')}`,
			'X-Organization-ID': readPrinted('organization'),
		},
	});
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
	const open: string[] = [];
	for (const { name } of workflows) {
		const { nodes } = await readStored(name);
		const own = nodes.filter(({ credentials }) => credentials?.dossierApi);
		open.push(
			...own
				.filter(({ credentials }) => !credentials?.dossierApi?.id)
				.map((node) => `${name}: ${node.name}`),
		);
	}
	expect(open).toEqual([]);
});

it.each(BY_HAND)('runs "%s" as it is', async (name) => {
	const { signal } = lifecycle;
	const { status, data } = await runStored({ session, signal }, await readStored(name));
	expect([status, complaints(data)]).toEqual(['success', []]);
});

it('has written the exports into the folder that it names', async () => {
	const folder = readPrinted('n8n writes to');
	expect(await readdir(join(folder, 'export'))).toContain('manifest.csv');
	expect(await readdir(join(folder, 'audit-log'))).toHaveLength(7);
});

it('runs what begins with an event when a document is uploaded', async () => {
	for (const name of BY_EVENT) await activateWorkflow(session, await readStored(name));
	await until('registration of each', async () => {
		const { data } = await service.get<{ data: unknown[] }>('/webhooks');
		return data.data.length === BY_EVENT.length;
	});
	await addDocument({ service }, await findDossier('2026-001'), 'letter.txt');
	for (const name of BY_EVENT) expect(await awaitRun(name)).toEqual('success');
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
		const { form, page } = await openForm('Invite a client by QR code');
		await fillIn(page, form, '2026-001');
		await page.getByRole('img', { name: 'QR code' }).waitFor();
	});

	it('ask a client, wait, and go on when a document arrives', async () => {
		const asking = 'Ask a client for documents and wait';
		const { form, page } = await openForm(asking);
		await askFor(page, form, 'start');
		await until('waiting execution', async () => {
			const [run] = await listExecutions(session, await readStored(asking));
			return run?.status === 'waiting';
		});
		await addDocument({ service }, await findDossier('A-start'), 'letter.txt');
		expect(await awaitRun(asking)).toBe('success');
	});
});

it('offers its tools to an MCP client that has the printed password', async () => {
	await activateWorkflow(session, await readStored('Dossiers for MCP clients'));
	const address = new URL(`${origin()}/mcp/dossier`);
	const client = await until('answer of the MCP server', async () =>
		connect(address, readPrinted('password')),
	);
	const found = await client.callTool({ name: 'find_dossiers', arguments: { Search: 'Müller' } });
	expect(JSON.stringify(found)).toContain('2026-001');
	await client.close();
});

describe('With what a person has to enter', () => {
	/** Changes a stored example as a person does, and publishes it. */
	async function complete(name: string, change: (nodes: INode[]) => INode[]) {
		const stored = await readStored(name);
		await activateWorkflow(session, await saveNodes(session, stored, change(stored.nodes)));
	}

	const store = async (type: string, data: Record<string, unknown>) => {
		const name = `Local ${type}`;
		return { type, reference: { id: await createCredential(session, { name, type, data }), name } };
	};

	it('reminds of a task in a chat', async () => {
		const chat = await openReceiver();
		lifecycle.onEnd(() => chat.close());
		await complete('Task reminder', (nodes) => withSettings(nodes, { chat_url: chat.url }));
		await until('registration', async () => {
			const { data } = await service.get<{ data: Array<{ events: string[] }> }>('/webhooks');
			return data.data.some(({ events }) => events.includes('task.due_soon'));
		});
		const due = new Date(Date.now() + 12 * 3_600_000).toISOString();
		const task = { title: 'Call back', due_at: due, dossier_id: await findDossier('2026-001') };
		await service.post('/tasks', task);
		await until('message', async () =>
			Promise.resolve(chat.received.some(({ body }) => body.includes('Call back'))),
		);
		expect(await awaitRun('Task reminder')).toBe('success');
	});

	it('puts attachments of a mailbox into a dossier', async () => {
		const mailbox = await openMailbox();
		lifecycle.onEnd(() => mailbox.close());
		const imap = await store('imap', mailbox.credential);
		await complete('E-mail attachments', (nodes) => withCredentials(nodes, imap));
		const files = [{ name: 'statement.pdf', content: 'of the bank' }];
		const dossier = await findDossier('2026-001');
		let looks = 0;
		await until('document', async () => {
			// The trigger connects some time after it is published, and looks when a letter arrives.
			if (looks++ % 8 === 0) await mailbox.deliver({ subject: '[2026-001] Enclosed', files });
			const path = `/dossiers/${dossier}/documents?q=statement`;
			const { data } = await service.get<{ data: unknown[] }>(path);
			return data.data.length === 1;
		});
	});

	it('answers in a chat with a model', async () => {
		const model = await startModelServer((results) =>
			results.length
				? { text: results[0] ?? '' }
				: { tool: 'find_dossiers', given: { Search: 'Müller' } },
		);
		lifecycle.onEnd(() => model.close());
		const openAi = await store('openAiApi', { apiKey: 'not a key', url: model.url });
		const isPublic = { public: true, mode: 'webhook' };
		await complete("A clerk's assistant", (nodes) =>
			withCredentials(nodes, openAi).map((node) =>
				node.name === 'Chat' ? { ...node, parameters: { ...node.parameters, ...isPublic } } : node,
			),
		);
		const stored = await readStored("A clerk's assistant");
		const { webhookId } = stored.nodes.find(({ name }) => name === 'Chat') ?? {};
		const question = { action: 'sendMessage', sessionId: 's', chatInput: 'Who is Müller?' };
		const answer = await until('answer of the assistant', async () => {
			const { status, data } = await session.post<{ output?: string }>(
				`${origin()}/webhook/${webhookId}/chat`,
				question,
			);
			return status === 200 && data.output;
		});
		expect(answer).toContain('2026-001');
	});
});
