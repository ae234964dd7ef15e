import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AxiosInstance } from 'axios';
import type { INode } from 'n8n-workflow';
import { openEditor } from '../editor/editor.mts';
import type { Editor } from '../editor/editor.mts';
import { openHost } from '../host/host.mts';
import type { Host } from '../host/host.mts';
import { createCredential } from '../host/rest.mts';
import type { CredentialReference, WorkflowFile } from '../host/rest.mts';
import { INTAKE, readWorkflow, withSettings } from '../intake/examples.mts';
import type { RunLifecycle } from '../process/lifecycle.mts';
import { choosePort } from '../process/port.mts';
import { fillCredential, openService, startSandbox } from '../process/sandbox.mts';
import type { SandboxProcess } from '../process/sandbox.mts';
import { findToolchain } from '../process/toolchain.mts';
import { makeWorkFolder } from '../process/workFolder.mts';

/** The part of the intake that a reader understands at a glance, from left to right. */
const SHOWN = ['Start', 'Settings', 'Read Files', 'Describe File', 'Upload File', 'Read It Back'];
/** The one that the documents name. */
const PORT = 4170;
/** So close that all of it is legible. */
const GAP = 176;

/** A real n8n with this package, a sandbox, and a browser that shows the editor. All ends with the run. */
export interface Studio {
	root: string;
	host: Host;
	sandbox: SandboxProcess;
	service: AxiosInstance;
	editor: Editor;
	/** The sample files, where n8n may read them. */
	folder: string;
	/** Where n8n may write. */
	writable: string;
}

export async function openStudio(lifecycle: RunLifecycle, root: string): Promise<Studio> {
	const workFolder = await makeWorkFolder(lifecycle);
	const folder = join(workFolder, 'cases');
	const writable = join(workFolder, 'reports');
	await cp(join(root, 'examples/files'), folder, { recursive: true });
	await mkdir(writable);
	const host = await openHost(lifecycle, {
		root,
		host: 'n8n-2',
		workFolder,
		openFolders: [folder, writable],
	});
	const sandbox = await startSandbox(lifecycle, await findToolchain(root), await choosePort(PORT));
	const { organization, baseUrl } = sandbox;
	const service = openService(baseUrl, organization);
	const editor = await openEditor(host);
	lifecycle.onEnd(() => editor.close());
	return { root, host, sandbox, service, editor, folder, writable };
}

/** Stores a credential for the sandbox. */
export async function storeCredential({ host, sandbox }: Studio): Promise<CredentialReference> {
	const [name, type] = ['Dossier', 'dossierApi'];
	const data = fillCredential(sandbox.baseUrl, sandbox.organization);
	return { id: await createCredential(host.session, { name, type, data }), name };
}

/** Reads the intake, pointed at the sample files and a credential. It reads every file back. */
export async function readIntake(
	{ root, folder, writable }: Studio,
	credential: CredentialReference,
): Promise<WorkflowFile> {
	const intake = await readWorkflow(join(root, 'examples', INTAKE), credential);
	const settings = { folder, report_folder: writable, read_back: true };
	return { ...intake, nodes: withSettings(intake.nodes, settings) };
}

/** The first half of the intake in one row, without its error outputs. */
export function shorten(intake: WorkflowFile): WorkflowFile {
	const nodes = SHOWN.flatMap((name, at) =>
		intake.nodes
			.filter((node) => node.name === name)
			.map(({ onError: _, ...node }): INode => ({ ...node, position: [at * GAP, 0] })),
	);
	const links = SHOWN.slice(1).map((name, at) => {
		const main = [[{ node: name, type: 'main' as const, index: 0 }]];
		return [SHOWN[at] ?? '', { main }] as const;
	});
	return { ...intake, name: 'Import a folder', nodes, connections: Object.fromEntries(links) };
}
