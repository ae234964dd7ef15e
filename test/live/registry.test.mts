/** The package as users get it: published to a registry, installed from it, updated while a workflow is active, and removed. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { extract } from 'tar';
import { importWorkflow } from '../../scripts/host/rest.mts';
import type { StoredWorkflow, CredentialReference } from '../../scripts/host/rest.mts';
import { HOSTS, OPENING_MS, openLive, root } from './live.mts';
import type { Install, Live } from './live.mts';
import { createNextVersion, openRegistry } from './registry.mts';
import type { Registry } from './registry.mts';
import { openInstaller } from './registryInstaller.mts';
import type { Installer } from './registryInstaller.mts';
import { until } from '../../scripts/process/until.mts';
import { observeTriggers } from './triggers.mts';
import type { Webhook } from './triggers.mts';
import { buildWorkflow, DOSSIER, dossierStep, START } from '../../scripts/host/steps.mts';
import { readItems, runStored } from '../../scripts/host/executions.mts';
import type { Step } from '../../scripts/host/steps.mts';

/** How long n8n may take to end and to start again. */
const RESTART_MS = 900_000;

/** The SHA-256 of every file below a folder, by its path. */
async function filesBelow(folder: string): Promise<Map<string, string>> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const paths = entries
		.filter((entry) => !entry.isDirectory())
		.map((entry) => join(entry.parentPath, entry.name));
	const files = new Map<string, string>();
	for (const path of paths.sort()) {
		const hash = createHash('sha256').update(await readFile(path));
		files.set(relative(folder, path), hash.digest('hex'));
	}
	return files;
}

const manifestIn = async (folder: string): Promise<Record<string, unknown>> =>
	JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));

describe.each(HOSTS)('From a registry into %s', (host) => {
	let folder: string;
	let registry: Registry;
	let installer: Installer;
	let live: Live;
	let triggers: ReturnType<typeof observeTriggers>;
	let next: string;

	beforeAll(async () => {
		const install: Install = async (tarball, userFolder) => {
			folder = join(dirname(userFolder), 'registry');
			await mkdir(folder);
			registry = await openRegistry(folder);
			await registry.release('publish.yml');
			const bumped = await createNextVersion(tarball, join(folder, 'next'));
			await registry.publish(bumped.folder);
			next = bumped.version;
			installer = openInstaller(registry, userFolder);
			const { version } = await manifestIn(root);
			await installer.install(String(version));
		};
		live = await openLive(host, { install });
		triggers = observeTriggers(live);
	}, OPENING_MS);

	afterAll(async () => {
		await registry?.close();
		await live?.close();
	});

	let credential: CredentialReference;
	let acting: StoredWorkflow;
	let waiting: StoredWorkflow;
	let webhook: Webhook;

	/** Both workflows do what they are for: one makes a dossier, which starts the other. */
	async function work(times: number): Promise<void> {
		const execution = await runStored(live, acting);
		expect(execution.status).toBe('success');
		expect(readItems(execution, 'Make')[0]?.json).toMatchObject({ title: 'From a registry' });
		await triggers.idle();
		await triggers.awaitRuns(waiting, times);
		expect(await triggers.listRuns(waiting, ['success'])).toMatchObject({ count: times });
	}

	it('is complete after the installation, and holds only the files of its tarball', async () => {
		const packed = join(folder, 'packed');
		await mkdir(packed);
		await extract({ file: live.host.tarball, cwd: packed, strip: 1 });
		const { peerDependencies, devDependencies, ...kept } = await manifestIn(packed);
		expect(peerDependencies).toEqual({ 'n8n-workflow': '*' });
		// So that their absence after the installation means something
		expect(devDependencies).toMatchObject({ jest: expect.any(String) });
		expect(await manifestIn(installer.target)).toEqual(kept);
		const [before, after] = [await filesBelow(packed), await filesBelow(installer.target)];
		before.delete('package.json');
		after.delete('package.json');
		expect(after).toEqual(before);
	});

	it(
		'acts, and starts a workflow by an event',
		async () => {
			credential = await live.credential();
			const make = {
				resource: 'dossier',
				operation: 'create',
				title: 'From a registry',
				fields: {},
			};
			const steps = [START, dossierStep('Make', credential, make)];
			acting = await importWorkflow(live.session, buildWorkflow('Acting', steps));
			const trigger: Step = {
				name: 'Trigger',
				type: `${DOSSIER}Trigger`,
				parameters: { registration: 'automatic', events: ['dossier.created'], options: {} },
				credentials: { dossierApi: credential },
				webhookId: '7b1f5f2e-3f0e-4c8e-8a52-2d5f0c7e9b42',
			};
			waiting = await importWorkflow(live.session, buildWorkflow('Waiting', [trigger]));
			webhook = await triggers.activate(waiting);
			await work(1);
		},
		RESTART_MS,
	);

	it(
		'is updated with the workflow active and the credential as they were',
		async () => {
			await live.restartHost(() => installer.update(next));
			expect(await manifestIn(installer.target)).toMatchObject({ version: next });
			await until('answer at the address', async () => await triggers.answersAt(webhook));
			expect(await triggers.webhooks()).toEqual([webhook]);
			await work(2);
		},
		RESTART_MS,
	);

	it(
		'is removed without breaking n8n, which keeps the workflows and says what they lack',
		async () => {
			await live.restartHost(() => installer.remove());
			await until('workflow', async () => {
				const { status } = await live.session.get(`/workflows/${acting.id}`);
				return status === 200;
			});
			await expect(runStored(live, acting)).rejects.toThrow(`Unrecognized node type: ${DOSSIER}`);
			const { data } = await live.session.get(`/workflows/${waiting.id}`);
			expect(data.data).toMatchObject({ active: true, nodes: waiting.nodes });
			expect(await triggers.listRuns(waiting)).toMatchObject({ count: 2 });
			const other = await importWorkflow(live.session, buildWorkflow('Other', [START]));
			expect(await runStored(live, other)).toMatchObject({ status: 'success' });
		},
		RESTART_MS,
	);
});
