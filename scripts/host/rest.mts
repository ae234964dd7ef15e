import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import axios from 'axios';
import type { AxiosInstance, AxiosResponse } from 'axios';
import { parse } from 'flatted';
import type { IConnections, INode, IRunExecutionData, IWorkflowSettings } from 'n8n-workflow';
import { readErrorCode, PlainError } from '../process/plainError.mts';

const POLL_MS = 500;
const EMPTY_LOOKS = 120;
/** n8n lists no more executions than this at a time. */
const EXECUTION_PAGE = 100;
const UNFINISHED = ['new', 'running', 'waiting', 'unknown'];
const MANUAL_TRIGGER = 'n8n-nodes-base.manualTrigger';

export interface Account {
	email: string;
	firstName: string;
	lastName: string;
	password: string;
}

/** A workflow as n8n exports it. */
export interface WorkflowFile {
	name: string;
	nodes: INode[];
	connections: IConnections;
	settings?: IWorkflowSettings;
}

export interface StoredWorkflow extends WorkflowFile {
	id: string;
	versionId: string;
}

export interface Execution {
	id: string;
	workflowId: string;
	status: string;
	createdAt: string;
	/** Missing while it runs. */
	stoppedAt?: string | null;
	data: IRunExecutionData;
}

/** A credential as a node refers to it. */
export interface CredentialReference {
	id: string;
	name: string;
}

/** n8n's own REST API, signed in. */
export type Session = AxiosInstance;

/** The account of a host that lives for one run; the password fits n8n's rules (8 to 64 characters, a digit, a capital). */
export function newAccount(): Account {
	return {
		email: 'owner@dossier.example',
		firstName: 'Dossier',
		lastName: 'Owner',
		password: `D0-${randomBytes(9).toString('base64url')}`,
	};
}

/** Makes the account the owner of a fresh n8n and signs in with it, or signs in as the owner who is there. */
export async function signIn(
	url: string,
	account: Account | { emailOrLdapLoginId: string; password: string },
): Promise<Session> {
	const session = axios.create({
		baseURL: `${url}/rest`,
		proxy: false,
		validateStatus: () => true,
		// n8n may close an idle connection just when it is used again.
		httpAgent: new Agent({ keepAlive: false }),
	});
	const path = 'email' in account ? '/owner/setup' : '/login';
	const { headers } = await ask(session, 'sign in its owner', 'POST', path, account);
	const cookies = headers['set-cookie'] ?? [];
	session.defaults.headers.common.Cookie = cookies.map((line) => line.split(';')[0]).join('; ');
	return session;
}

export interface Credential {
	name: string;
	type: string;
	data: Record<string, unknown>;
}

/** Stores a credential; gives its id. */
export async function createCredential(session: Session, credential: Credential): Promise<string> {
	const what = `store the credential "${credential.name}"`;
	return (await call<{ id: string }>(session, what, 'POST', '/credentials', credential)).id;
}

export async function importWorkflow(
	session: Session,
	workflow: WorkflowFile,
): Promise<StoredWorkflow> {
	const { name, nodes, connections, settings } = workflow;
	// n8n 1 requires `active`
	const data = { name, nodes, connections, settings, active: false };
	return await call(session, `import the workflow "${name}"`, 'POST', '/workflows', data);
}

/** Saves changed nodes of a stored workflow. */
export async function saveNodes(
	session: Session,
	{ id, name, connections, settings }: StoredWorkflow,
	nodes: INode[],
): Promise<StoredWorkflow> {
	const data = { name, nodes, connections, settings };
	return await call(session, `save the workflow "${name}"`, 'PATCH', `/workflows/${id}`, data);
}

/** Activates a stored workflow. n8n starts its triggers after the answer. */
export async function activateWorkflow(
	session: Session,
	{ id, versionId, name }: StoredWorkflow,
): Promise<void> {
	const what = `activate the workflow "${name}"`;
	await call(session, what, 'POST', `/workflows/${id}/activate`, { versionId });
}

/** Deactivates a stored workflow. n8n deregisters its webhooks after the answer. */
export async function deactivateWorkflow(
	session: Session,
	{ id, name }: StoredWorkflow,
): Promise<void> {
	const what = `deactivate the workflow "${name}"`;
	await call(session, what, 'POST', `/workflows/${id}/deactivate`, {});
}

/** Runs a stored workflow from its manual trigger, as the button in the editor does; gives the id of the execution. */
export async function runWorkflow(session: Session, workflow: StoredWorkflow): Promise<string> {
	const { id, name, nodes } = workflow;
	const trigger = nodes.find(({ type }) => type === MANUAL_TRIGGER);
	if (!trigger) {
		throw new PlainError(`The workflow "${name}" has no manual trigger to run it from.`);
	}
	// n8n 1 runs what it is sent, n8n 2 what it has stored
	const data = { workflowData: workflow, triggerToStartFrom: { name: trigger.name } };
	const [what, url] = [`run the workflow "${name}"`, `/workflows/${id}/run`];
	return (await call<{ executionId: string }>(session, what, 'POST', url, data)).executionId;
}

/** Runs a failed execution again with the data it had; gives the id of the new one. */
export async function retryExecution(session: Session, id: string): Promise<string> {
	const [what, url] = [`retry the execution ${id}`, `/executions/${id}/retry`];
	return (await call<{ id: string }>(session, what, 'POST', url, { loadWorkflow: false })).id;
}

interface ListedExecution {
	id: string;
	status: string;
	/** ISO 8601; `null` until it starts. */
	startedAt: string | null;
}

/** The executions of a workflow, in some statuses or all, the newest first. */
export async function listExecutions(
	session: Session,
	{ id, name }: StoredWorkflow,
	status?: string[],
): Promise<ListedExecution[]> {
	const what = `list the executions of "${name}"`;
	const found = new Map<string, ListedExecution>();
	let startedBefore: string | undefined;
	// n8n 1 and n8n 2 have different cursors, but both order by the start, and include the moment that the filter names.
	for (let before = -1; before < found.size; ) {
		before = found.size;
		const filter = JSON.stringify({ workflowId: id, status, startedBefore });
		const params = { filter, limit: EXECUTION_PAGE };
		type Page = { results: ListedExecution[] };
		const { results } = await call<Page>(session, what, 'GET', '/executions', params);
		for (const execution of results) found.set(execution.id, execution);
		if (results.length < EXECUTION_PAGE) break;
		startedBefore = results.at(-1)?.startedAt ?? startedBefore;
	}
	return [...found.values()].sort((one, other) => Number(other.id) - Number(one.id));
}

/** Waits until an execution has succeeded or failed, and gives it with all its data. */
export async function awaitExecution(
	session: Session,
	id: string,
	signal: AbortSignal,
): Promise<Execution> {
	for (let empty = 0; ; ) {
		type Stored = Omit<Execution, 'data'> & { data: string };
		const what = `give the execution ${id}`;
		const execution = await call<Stored>(session, what, 'GET', `/executions/${id}`);
		if (!UNFINISHED.includes(execution.status)) {
			// n8n sends the data flattened
			const data: unknown = parse(execution.data);
			if (isRunData(data)) return { ...execution, data };
			// Under load, n8n reports the end of an execution before it has stored the data
			empty += 1;
			if (empty > EMPTY_LOOKS) {
				throw new PlainError(`n8n kept no data of the execution ${id}.`);
			}
		}
		await wait(POLL_MS, undefined, { signal });
	}
}

function isRunData(value: unknown): value is IRunExecutionData {
	return typeof value === 'object' && value !== null && 'resultData' in value;
}

/** n8n wraps its answers and its errors in this. */
interface Envelope<T> {
	data: T;
	message?: string;
}

/** One call of the REST API; gives the `data` of the answer. */
const call = async <T,>(...asked: Parameters<typeof ask>): Promise<T> =>
	(await ask<T>(...asked)).data.data;

/** One request, with a query if it reads, otherwise with a body. Throws n8n's own message if the status is not 2xx. */
async function ask<T>(
	session: Session,
	what: string,
	method: 'GET' | 'POST' | 'PATCH',
	url: string,
	sent?: object,
): Promise<AxiosResponse<Envelope<T>>> {
	const request = { method, url, [method === 'GET' ? 'params' : 'data']: sent };
	const answer = await session.request<Envelope<T>>(request).catch((error: unknown) => {
		throw new PlainError(`n8n did not ${what}: it does not answer (${readErrorCode(error)}).`);
	});
	if (answer.status >= 200 && answer.status < 300) return answer;
	const reason = answer.data.message ?? `status ${answer.status}`;
	throw new PlainError(`n8n did not ${what}: ${reason}`);
}
