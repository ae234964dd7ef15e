import { readFile } from 'node:fs/promises';
import type { AssignmentValue, INode, NodeParameterValue } from 'n8n-workflow';
import { PlainError } from '../process/plainError.ts';
import type { CredentialReference, WorkflowFile } from '../host/rest.ts';

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
