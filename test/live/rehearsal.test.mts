/** n8n 3 in rehearsal: the core of these tests in n8n 2, with everything set as n8n 3 sets it. n8n 3 itself comes only as a container. */
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { activateWorkflow, deactivateWorkflow, importWorkflow } from '../../scripts/host/rest.mts';
import type { WorkflowFile } from '../../scripts/host/rest.mts';
import { complaints, readItems, runStored } from '../../scripts/host/executions.mts';
import { buildWorkflow, pollStep } from '../../scripts/host/steps.mts';
import { installHost } from '../../scripts/host/install.mts';
import { openLifecycle } from '../../scripts/process/lifecycle.mts';
import { findToolchain } from '../../scripts/process/toolchain.mts';
import { until } from '../../scripts/process/until.mts';
import { launchBrowser, openWindow } from '../../scripts/editor/browser.mts';
import { documentIntake } from './examples/byHand.mts';
import { importExample, publishForm } from './examples/imported.mts';
import { documentReceived } from './examples/documentReceived.mts';
import { fillIn } from './examples/inviteByQr.mts';
import { addDocument, listPortalUsers, newDossier } from './examples/records.mts';
import { mcpServer } from './examples/mcpServer.mts';
import { OPENING_MS, openLive, root } from './live.mts';
import type { Live } from './live.mts';
import { openPublicRegistry } from './publicRegistry.mts';
import { openRegistry } from './registry.mts';
import { observeTriggers } from './triggers.mts';

/** What n8n 3 sets by default or no longer lets anybody change, beside where it keeps files. */
const AS_N8N_3 = {
	N8N_UNVERIFIED_PACKAGES_ENABLED: 'false',
	N8N_RUNNERS_TASK_TIMEOUT: '60',
	N8N_SSRF_PROTECTION_ENABLED: 'true',
	// Where the sandbox is
	N8N_SSRF_ALLOWED_IP_RANGES: '127.0.0.0/8',
};

const read = async (path: string) => await readFile(join(root, path), 'utf8');

/** The workflow that the README has to paste. */
async function readPasted(): Promise<WorkflowFile> {
	const [, text = ''] = /```json\n([^]*?)```/.exec(await read('README.md')) ?? [];
	return JSON.parse(text) as WorkflowFile;
}

describe.each(['filesystem', 'database'])('As in n8n 3, with files in %s', (mode) => {
	let live: Live;
	let front: Awaited<ReturnType<typeof openPublicRegistry>>;
	const ends: Array<() => Promise<void>> = [];
	const opened = () => live;

	beforeAll(async () => {
		const folder = await mkdtemp(join(tmpdir(), 'dossier-rehearsal-'));
		ends.push(async () => await rm(folder, { recursive: true }));
		const { lifecycle, close } = openLifecycle();
		ends.push(close);
		await installHost(lifecycle, await findToolchain(root), join(root, 'hosts/n8n-2'));
		const registry = await openRegistry(folder);
		ends.push(async () => await registry.close());
		const tarball = await readFile(await registry.release('publish.yml'));
		front = await openPublicRegistry(registry.url, folder);
		ends.push(async () => await front.close());
		const { version } = JSON.parse(await read('package.json')) as { version: string };
		const checksum = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
		const line = [{ name: 'n8n-nodes-dossier', version, checksum }];
		live = await openLive('n8n-2', {
			// n8n installs it
			install: async () => await Promise.resolve(),
			env: {
				...AS_N8N_3,
				...front.env,
				N8N_DEFAULT_BINARY_DATA_MODE: mode,
				N8N_COMMUNITY_PACKAGES_MANAGED_BY_ENV: 'true',
				N8N_COMMUNITY_PACKAGES: JSON.stringify(line),
			},
		});
		ends.push(async () => await live.close());
	}, OPENING_MS);
	afterAll(async () => {
		for (const end of ends.reverse()) await end();
	});

	it('the package is installed by its checksum, although it is not verified', async () => {
		const { data } = await live.session.get<{ data: object[] }>('/community-packages');
		expect(data.data).toMatchObject([{ packageName: 'n8n-nodes-dossier' }]);
		expect(front.wasAsked()).toBe(true);
	});

	documentIntake(opened);

	it('the workflow of the README puts a first document into a dossier, once', async () => {
		const pasted = await readPasted();
		const credential = await live.credential();
		const nodes = pasted.nodes.map((node) =>
			node.credentials ? { ...node, credentials: { dossierApi: credential } } : node,
		);
		const workflow = await importWorkflow(live.session, { ...pasted, nodes });
		const ids: unknown[] = [];
		for (let times = 0; times < 2; times += 1) {
			const execution = await runStored(live, workflow);
			expect(complaints(execution.data)).toEqual([]);
			const [item] = readItems(execution, 'Read It Back');
			expect(item?.binary?.data?.fileName).toBe('hello.txt');
			ids.push(readItems(execution, 'Upload a Note')[0]?.json.id);
		}
		expect(ids[0]).toEqual(expect.any(String));
		expect(ids[1]).toBe(ids[0]);
	});

	it('the poll trigger runs for an upload', async () => {
		const steps = [pollStep(await live.credential({ rateLimit: 'off' }), 1)];
		const workflow = await importWorkflow(live.session, buildWorkflow('Polling', steps));
		const dossier = await newDossier(live, 'P-1');
		const countPolls = async () => {
			const entries = await live.control.journal.list({ limit: 500 });
			return entries.filter(({ operation, status }) => operation === 'audit.list' && status).length;
		};
		const before = await countPolls();
		await activateWorkflow(live.session, workflow);
		// Its position is known then
		await until('first poll', async () => (await countPolls()) > before + 1);
		const id = await addDocument(live, dossier, 'polled.txt');
		const [execution] = await observeTriggers(live).awaitRuns(workflow, 1);
		expect(execution && readItems(execution, 'Trigger')[0]?.json).toMatchObject({
			event: 'document.uploaded',
			data: { document_id: id },
		});
		await deactivateWorkflow(live.session, workflow);
	});

	it('a form opens, and invites a client', async () => {
		const dossier = await newDossier(live, 'Q-1');
		const desk = { username: 'desk', password: 'for-this-test-alone' };
		const credentials = { httpBasicAuth: { user: desk.username, password: desk.password } };
		const workflow = await importExample(live, 'invite-by-qr.json', { credentials });
		const form = await publishForm(live.session, live.host.url, workflow, desk);
		const browser = await launchBrowser();
		ends.push(async () => await browser.close());
		const page = await openWindow(browser, form, { httpCredentials: desk });
		await fillIn(page, form, 'Q-1');
		await page.getByRole('img', { name: 'QR code' }).waitFor();
		expect(await listPortalUsers(live, dossier)).toMatchObject([
			{ email: 'tari@client.example', status: 'invited' },
		]);
		await deactivateWorkflow(live.session, workflow);
	});

	describe('The trigger', () => documentReceived(opened));
	describe('The tools', () => mcpServer(opened));
});
