/** `npm start` as a person meets it: every example is in n8n, and runs exactly as it is if nothing has to be entered first. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { activateWorkflow, signIn } from '../../scripts/host/rest.ts';
import type { Session, StoredWorkflow } from '../../scripts/host/rest.ts';
import { complaints, runStored } from '../../scripts/host/executions.ts';
import { openService } from '../../scripts/process/sandbox.ts';
import { startGroup } from '../../scripts/process/group.ts';
import { findToolchain } from '../../scripts/process/toolchain.ts';
import { connect } from './examples/mcpServer.ts';
import { publishForm } from './examples/imported.ts';
import { openLifecycle } from '../../scripts/process/lifecycle.ts';
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
/** The credentials that the start makes; others have to be entered. */
const FILLED_IN = ['dossierApi', 'httpBasicAuth', 'httpBearerAuth'];

const { lifecycle, close } = openLifecycle();
afterAll(close);

let printed: string;
let session: Session;
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
	session = await signIn(origin(), {
		emailOrLdapLoginId: readPrinted('sign in with'),
		password: readPrinted('password'),
	});
	workflows = (await session.get<{ data: StoredWorkflow[] }>('/workflows')).data.data;
}, OPENING_MS);

it('imports every example, with its credentials', async () => {
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
		const used = nodes.flatMap(({ credentials = {} }) => Object.entries(credentials));
		const lacking = used.filter(([type, { id }]) => FILLED_IN.includes(type) && !id);
		open.push(...lacking.map(([type]) => `${name}: ${type}`));
	}
	expect(open).toEqual([]);
});

it('prints a key that its sandbox takes', async () => {
	const organization = { id: readPrinted('organization'), testKey: readPrinted('test key') };
	const service = openService(readPrinted('Sandbox URL'), organization);
	expect((await service.get('/dossiers')).status).toBe(200);
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

it.each(['Invite a client by QR code', 'Ask a client for documents and wait'])(
	'opens the form of "%s" to whoever has the printed account',
	async (name) => {
		const account = { username: readPrinted('sign in with'), password: readPrinted('password') };
		const form = await publishForm(session, origin(), await readStored(name), account);
		expect((await session.get(form)).status).toBe(401);
	},
);

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
