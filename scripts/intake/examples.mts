import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AssignmentValue, INode, NodeParameterValue } from 'n8n-workflow';
import { PlainError } from '../process/plainError.mts';
import { createCredential, importWorkflow } from '../host/rest.mts';
import type { Account, CredentialReference, Session, WorkflowFile } from '../host/rest.mts';
import type { CaseFile } from './caseFiles.mts';

/** Another function imports it, and runs it. */
export const INTAKE = 'document-intake.json';

const SETTINGS_NODE = 'Settings';
const FOLDER_SETTING = 'folder';
const CREDENTIAL_TYPE = 'dossierApi';

/** Reads a workflow to import and points its Dossier nodes at a credential. */
export async function readWorkflow(
	path: string,
	credential: CredentialReference,
): Promise<WorkflowFile> {
	const workflow: unknown = JSON.parse(await readFile(path, 'utf8'));
	if (!isWorkflow(workflow)) throw new PlainError(`${path} is not a workflow as n8n exports it.`);
	const nodes = workflow.nodes.map((node) =>
		node.credentials?.[CREDENTIAL_TYPE]
			? { ...node, credentials: { ...node.credentials, [CREDENTIAL_TYPE]: credential } }
			: node,
	);
	return { ...workflow, nodes };
}

function isWorkflow(value: unknown): value is WorkflowFile {
	return (
		typeof value === 'object' &&
		value !== null &&
		'name' in value &&
		'nodes' in value &&
		Array.isArray(value.nodes) &&
		'connections' in value
	);
}

/** The nodes of the intake workflow, with another folder in its settings. */
export function withFolder(nodes: INode[], folder: string): INode[] {
	return withSettings(nodes, { [FOLDER_SETTING]: folder });
}

/** The nodes of a workflow, with other values in its node "Settings". Throws a PlainError if that node does not set one of them. */
export function withSettings(nodes: INode[], values: Record<string, NodeParameterValue>): INode[] {
	const settings = nodes.find(({ name }) => name === SETTINGS_NODE);
	const assignments = readAssignments(settings);
	for (const name of Object.keys(values)) {
		if (!assignments.some((assignment) => assignment.name === name)) {
			throw new PlainError(`The workflow has no node "${SETTINGS_NODE}" that sets "${name}".`);
		}
	}
	const changed = assignments.map((assignment) => ({
		...assignment,
		value: values[assignment.name] ?? assignment.value,
	}));
	return nodes.map((node) =>
		node === settings
			? { ...node, parameters: { ...node.parameters, assignments: { assignments: changed } } }
			: node,
	);
}

function readAssignments(node: INode | undefined): AssignmentValue[] {
	const collection = node?.parameters.assignments;
	if (typeof collection !== 'object' || collection === null || !('assignments' in collection)) {
		return [];
	}
	const { assignments } = collection;
	return Array.isArray(assignments) ? assignments.filter(isAssignment) : [];
}

function isAssignment(value: unknown): value is AssignmentValue {
	return typeof value === 'object' && value !== null && 'name' in value && 'value' in value;
}

interface Place {
	/** The checkout. */
	root: string;
	session: Session;
	/** The same email and password open the forms of the examples; the password is also the token of the tools. */
	account: Account;
	/** Of the sandbox. */
	credential: CredentialReference;
	/** A file that was imported: its folder and its dossier are the ones that the examples begin with. */
	first: CaseFile;
	/** A folder that exists, to which n8n may write. */
	writable: string;
}

/** Imports every example but the intake, ready to run: with credentials and folders of this machine. */
export async function importExamples(place: Place): Promise<void> {
	const { root, session, account, credential, first, writable } = place;
	const { email, password } = account;
	const forms = await store(session, 'httpBasicAuth', 'Forms', { user: email, password });
	const tools = await store(session, 'httpBearerAuth', 'Tools', { token: password });
	const settings: Record<string, Record<string, NodeParameterValue>> = {
		'audit-export.json': { folder: join(writable, 'audit-log') },
		'dossier-export.json': { folder: join(writable, 'export'), reference: first.dossier },
		'folder-sync.json': { folder: dirname(first.path), reference: first.dossier },
	};
	for (const name of ['audit-log', 'export']) await mkdir(join(writable, name));
	const folder = join(root, 'examples');
	const names = (await readdir(folder)).filter((name) => name.endsWith('.json') && name !== INTAKE);
	for (const name of names.sort()) {
		const workflow = await readWorkflow(join(folder, name), credential);
		const own = settings[name];
		const nodes = own ? withSettings(workflow.nodes, own) : workflow.nodes;
		await importWorkflow(session, { ...workflow, nodes: withCredentials(nodes, forms, tools) });
	}
}

async function store(session: Session, type: string, name: string, data: Record<string, string>) {
	return { type, reference: { id: await createCredential(session, { name, type, data }), name } };
}

/** The nodes with further credentials, each at the nodes that ask for its type. */
export const withCredentials = (
	nodes: INode[],
	...credentials: Array<{ type: string; reference: CredentialReference }>
): INode[] =>
	nodes.map((node) => {
		const wanted = credentials.filter(({ type }) => node.credentials?.[type]);
		const chosen = wanted.map(({ type, reference }) => [type, reference] as const);
		return chosen.length
			? { ...node, credentials: { ...node.credentials, ...Object.fromEntries(chosen) } }
			: node;
	});
