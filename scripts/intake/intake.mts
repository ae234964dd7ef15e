import { cp, mkdir, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import prettyBytes from 'pretty-bytes';
import { writeBigFile, listCases } from './caseFiles.mts';
import type { CaseFile } from './caseFiles.mts';
import { openHost } from '../host/host.mts';
import type { Host } from '../host/host.mts';
import { createCredential, importWorkflow, saveNodes } from '../host/rest.mts';
import type { CredentialReference, StoredWorkflow } from '../host/rest.mts';
import { INTAKE, readWorkflow, withFolder, withSettings } from './examples.mts';
import { complaints, runStored } from '../host/executions.mts';
import type { RunLifecycle } from '../process/lifecycle.mts';
import { watchMemory } from '../process/usage.mts';
import type { MemoryUse } from '../process/usage.mts';
import { PlainError } from '../process/plainError.mts';
import { readBack } from './readBack.mts';
import { fillCredential, startSandbox } from '../process/sandbox.mts';
import type { SandboxProcess } from '../process/sandbox.mts';
import { announce, sayMemory, sayResult } from './report.mts';
import { say, showProgress } from '../process/terminal.mts';
import { findToolchain } from '../process/toolchain.mts';
import { choosePort } from '../process/port.mts';
import { makeWorkFolder } from '../process/workFolder.mts';

const BIG_FILE = { dossier: '2026-900', name: 'Scanned archive.bin', bytes: 300e6 };
/** n8n copies each file when it reads and when it downloads it; the sandbox stores one more. */
const COPIES = 4;
const HOST_BYTES = 500e6;
/** If n8n dies, this process sees its exit within this time after the failed call. */
const ENDING_MS = 500;

interface IntakeOptions {
	/** The checkout. */
	root: string;
	/** The folder to import. Without it: the sample files, then the same files with one of 300 MB. */
	files?: string;
	wantedPorts: { host: number; sandbox: number };
}

/** The processes that run after the import. */
interface Intake {
	host: Host;
	sandbox: SandboxProcess;
	workflow: StoredWorkflow;
	/** The credential that the workflow uses. */
	credential: CredentialReference;
	/** The imported files, without the big one. */
	files: CaseFile[];
	/** A folder to which n8n may write. The end of the run removes it. */
	writable: string;
	/** The file with n8n's log. The end of the run removes it. */
	log: string;
	/** Whether n8n imported every file and the service holds it unharmed. */
	isComplete: boolean;
}

/** Reads `--files DIR`, relative to where npm was called. */
export function readFilesOption(command: string): string | undefined {
	const usage = `Usage: ${command} [-- --files DIR]

  --files DIR   import the files of this folder, which n8n may read, in place of the samples;
                each sub-folder is a dossier, and so are the files beside them`;
	try {
		const options = { files: { type: 'string' }, help: { type: 'boolean' } } as const;
		const { files, help } = parseArgs({ options }).values;
		if (help) {
			say(usage);
			process.exit();
		}
		return files === undefined ? undefined : resolve(process.env.INIT_CWD ?? '.', files);
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		throw new PlainError(`${reason}\n${usage}`);
	}
}

/**
 * The main job: starts a real n8n with this package and a sandbox, runs the intake workflow over the files, reads every document
 * from the service and compares it. The processes that it starts end with the run.
 */
export async function openIntake(lifecycle: RunLifecycle, options: IntakeOptions): Promise<Intake> {
	const { root, wantedPorts } = options;
	const listing = await listCases(options.files ?? join(root, 'examples/files'));
	announce(listing);
	const hasBigFile = options.files === undefined;
	await checkTemporarySpace(listing.files, hasBigFile);
	const workFolder = await makeWorkFolder(lifecycle);
	const bigFolder = join(workFolder, 'files');
	const writable = join(workFolder, 'output');
	await mkdir(writable);
	const log = join(workFolder, 'n8n.log');

	const host = await openHost(lifecycle, {
		root,
		host: 'n8n-2',
		workFolder,
		openFolders: [listing.folder, bigFolder, writable],
		wantedPort: wantedPorts.host,
		env: { N8N_LOG_OUTPUT: 'console,file', N8N_LOG_FILE_LOCATION: log },
	});
	const sandbox = await startSandbox(
		lifecycle,
		await findToolchain(root),
		await choosePort(wantedPorts.sandbox),
	);
	say(`Sandbox: ${sandbox.url}`);
	say(`n8n:     ${host.url}`);
	for (const [wanted, url] of [
		[wantedPorts.sandbox, sandbox.url],
		[wantedPorts.host, host.url],
	] as const) {
		if (wanted && !url.endsWith(`:${wanted}`)) {
			say(`(Port ${wanted} is in use, so another one was taken.)`);
		}
	}

	const credential = await storeCredential(host, sandbox);
	const intake = await readWorkflow(join(root, 'examples', INTAKE), credential);
	let workflow = await importWorkflow(host.session, {
		...intake,
		nodes: withSettings(withFolder(intake.nodes, listing.folder), { report_folder: writable }),
	});
	const files = [...listing.files];
	let run = await runIntake(lifecycle, host, workflow, files, 'Importing');
	if (hasBigFile && run.isSuccessful) {
		files.push(await addBigFile(lifecycle, listing.folder, bigFolder));
		workflow = await saveNodes(host.session, workflow, withFolder(workflow.nodes, bigFolder));
		const activity = `Importing them again, with a file of ${prettyBytes(BIG_FILE.bytes)}`;
		run = await runIntake(lifecycle, host, workflow, files, activity);
		const nodes = withFolder(workflow.nodes, listing.folder);
		workflow = await saveNodes(host.session, workflow, nodes);
	}
	sayMemory(run.memory);
	const result = await readBack(sandbox, files, lifecycle.signal);
	sayResult(result);
	const isComplete = run.isSuccessful && result.isComplete;
	return { host, sandbox, workflow, credential, files: listing.files, writable, log, isComplete };
}

async function checkTemporarySpace(files: CaseFile[], hasBigFile: boolean): Promise<void> {
	const place = tmpdir();
	const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
	const needed = HOST_BYTES + COPIES * (bytes + (hasBigFile ? bytes + BIG_FILE.bytes : 0));
	const { bavail, bsize } = await statfs(place);
	if (bavail * bsize < needed) {
		throw new PlainError(
			`This needs ${prettyBytes(needed)} for temporary files, but ${place} has only ${prettyBytes(bavail * bsize)} free. ` +
				'Make room, or set TMPDIR to a folder on a roomier disk, then run this again.',
		);
	}
}

async function storeCredential(
	{ session }: Host,
	{ baseUrl, organization }: SandboxProcess,
): Promise<CredentialReference> {
	const name = 'Dossier Sandbox';
	const id = await createCredential(session, {
		name,
		type: 'dossierApi',
		data: fillCredential(baseUrl, organization),
	});
	return { id, name };
}

async function addBigFile(lifecycle: RunLifecycle, from: string, to: string): Promise<CaseFile> {
	await cp(from, to, { recursive: true });
	const path = join(to, `${BIG_FILE.dossier} Großes Archiv`, BIG_FILE.name);
	await writeBigFile(path, BIG_FILE.bytes, lifecycle.signal);
	return { ...BIG_FILE, storedName: BIG_FILE.name, path };
}

interface IntakeRun {
	isSuccessful: boolean;
	memory: MemoryUse;
}

async function runIntake(
	lifecycle: RunLifecycle,
	{ session, group }: Host,
	workflow: StoredWorkflow,
	files: CaseFile[],
	activity: string,
): Promise<IntakeRun> {
	const progress = showProgress(activity);
	const endWatch = await watchMemory(group.pid);
	try {
		const execution = await runStored({ session, signal: lifecycle.signal }, workflow);
		const isSuccessful = execution.status === 'success';
		progress.end(`${activity}: ${isSuccessful ? 'done' : 'failed'}.`);
		for (const line of complaints(execution.data)) say(`  n8n says: ${line}`);
		if (!isSuccessful) for (const line of await describeGoneFiles(files)) say(`  ${line}`);
		return { isSuccessful, memory: await endWatch() };
	} catch (error) {
		progress.end(`${activity}: ${lifecycle.signal.aborted ? 'stopped' : 'failed'}.`);
		const code = await Promise.race([group.ended, wait(ENDING_MS)]);
		if (code === undefined || lifecycle.signal.aborted) throw error;
		throw new PlainError(
			`n8n ended during the import (code ${code}). The end of its log:\n\n${group.tail().join('\n')}`,
		);
	} finally {
		await endWatch();
	}
}

/** A sentence for each file that is gone, since n8n does not name the file that it failed to read. */
async function describeGoneFiles(files: CaseFile[]): Promise<string[]> {
	const gone: string[] = [];
	for (const { path } of files) {
		if (!(await stat(path).catch(() => undefined))) {
			gone.push(
				`${path} was there when the import began and is gone. Put it back, then run this again.`,
			);
		}
	}
	return gone;
}
