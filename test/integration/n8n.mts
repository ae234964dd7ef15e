/** Runs the nodes in n8n's own engine (n8n-core): real expressions, credentials, HTTP helpers and binary storage. */
import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
	BinaryDataConfig,
	BinaryDataService,
	ExecutionLifecycleHooks,
	ExternalSecretsProxy,
	WorkflowExecute,
} from 'n8n-core';
import { ICredentialsHelper, NodeConnectionTypes, Workflow } from 'n8n-workflow';
import type {
	IBinaryData,
	ICredentialDataDecryptedObject,
	ICredentialsHelper as CredentialsHelper,
	IDataObject,
	IHttpRequestOptions,
	INode,
	INodeExecutionData,
	INodeParameters,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { DossierApi } from '../../credentials/DossierApi.credentials';
import { DossierWorkspaceApi } from '../../credentials/DossierWorkspaceApi.credentials';
import { createSource, dossierNode, dropper, makeNode, toNodeTypes } from './stepTypes.mts';
import type { Given } from './stepTypes.mts';

export type { Input } from './stepTypes.mts';

export type BinaryMode = 'filesystem' | 'default';

export interface Run extends Given {
	parameters: INodeParameters;
	credential: ICredentialDataDecryptedObject;
	/** By this, n8n tells credentials apart. */
	credentialId?: string;
	/** Steps before the node: an operation, or without parameters one that hands on no files. */
	steps?: Array<{ name: string; parameters?: INodeParameters }>;
	onError?: INode['onError'];
	/** Cancels the execution when it resolves. */
	cancelWhen?: Promise<void>;
	/** n8n puts it into the path of the execution's files. */
	executionId?: string;
	/** Has n8n run a failed node again. */
	retryOnFail?: boolean;
	/** Has n8n give the node its first item alone. */
	executeOnce?: boolean;
}

export interface Outcome {
	/** Items of the first output. */
	items: INodeExecutionData[];
	/** Items of the error output. */
	errors: INodeExecutionData[];
	/** What n8n shows above the output. */
	hints: string[];
	error?: Error & { description?: string | null; context?: IDataObject; httpCode?: string | null };
}

const credentialTypes: Record<string, DossierApi | DossierWorkspaceApi> = {
	dossierApi: new DossierApi(),
	dossierWorkspaceApi: new DossierWorkspaceApi(),
};

class Credentials extends ICredentialsHelper {
	private readonly data: ICredentialDataDecryptedObject;

	constructor(data: ICredentialDataDecryptedObject) {
		super();
		this.data = data;
	}

	getParentTypes = () => [];
	isCredentialUsableByNode = () => true;
	preAuthentication = async () => await Promise.resolve(undefined);
	runPreAuthentication = async () => await Promise.resolve(undefined);
	getCredentials = () => Promise.reject(new Error('not used by the engine'));
	/** As in n8n: a new object each time, and an expression in a credential may read the item. */
	getDecrypted: CredentialsHelper['getDecrypted'] = async (...given) => {
		const [, , , mode, executeData, , values] = given;
		if (!values) return await Promise.resolve({ ...this.data });
		const { workflow, runExecutionData, runIndex, itemIndex, node, connectionInputData } = values;
		return workflow.expression.getParameterValue(
			this.data as INodeParameters,
			runExecutionData,
			runIndex,
			itemIndex,
			node.name,
			connectionInputData,
			mode,
			{},
			executeData,
		) as ICredentialDataDecryptedObject;
	};
	updateCredentials = async () => await Promise.resolve();
	updateCredentialsOauthTokenData = async () => await Promise.resolve();
	getCredentialsProperties = () => [];

	/** As in n8n: the credential adds its headers. */
	authenticate: CredentialsHelper['authenticate'] = async (data, type, options) => {
		const declared = credentialTypes[type]?.authenticate;
		if (typeof declared !== 'function') throw new Error(`There is no credential ${type}`);
		return await declared(data, options as IHttpRequestOptions);
	};
}

const folders: string[] = [];

/** Sets n8n's binary storage to a mode, with a new folder that is removed after all tests of the file. */
export async function useBinaryMode(mode: BinaryMode): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), 'n8n-binary-'));
	folders.push(folder);
	Object.assign(Container.get(BinaryDataConfig), { mode, localStoragePath: folder });
	await Container.get(BinaryDataService).init();
}

beforeAll(async () => await useBinaryMode('filesystem'));

afterAll(async () => {
	const options = { recursive: true, force: true, maxRetries: 10 };
	for (const folder of folders) await rm(folder, options);
});

/** Reads a binary field in any binary mode. */
export async function readBinary(binary: IBinaryData | undefined): Promise<Buffer> {
	if (!binary) throw new Error('There is no such binary field');
	return await Container.get(BinaryDataService).getAsBuffer(binary);
}

/** The path of a binary field on disk. */
export async function findBinaryPath(binary: IBinaryData | undefined): Promise<string> {
	if (!binary?.id) throw new Error('The file is not on disk');
	return await Promise.resolve(Container.get(BinaryDataService).getPath(binary.id));
}

/** The additional data that n8n passes to a running node, with this credential. */
export function makeAdditionalData(
	credential: ICredentialDataDecryptedObject,
): IWorkflowExecuteAdditionalData {
	const address = 'http://127.0.0.1/';
	const unused = () => Promise.reject(new Error('not used by these nodes'));
	return {
		credentialsHelper: new Credentials(credential),
		executeWorkflow: unused,
		getRunExecutionData: unused,
		getRuntimeCredential: unused,
		startRunnerTask: unused,
		externalSecretsProxy: Container.get(ExternalSecretsProxy),
		executionId: '1',
		currentNodeExecutionIndex: 0,
		variables: {},
		logAiEvent: () => undefined,
		restApiUrl: address,
		instanceBaseUrl: address,
		formBaseUrl: address,
		formWaitingBaseUrl: address,
		formTestBaseUrl: address,
		webhookBaseUrl: address,
		webhookWaitingBaseUrl: address,
		webhookTestBaseUrl: address,
		mcpBaseUrl: address,
		mcpTestBaseUrl: address,
	};
}

/** The lines of n8n's log during a test: warnings and errors, or those of other levels. */
export function useLog(levels: Array<'info' | 'warn' | 'error'> = ['warn', 'error']): string[] {
	const log: string[] = [];
	beforeAll(() => {
		for (const level of levels) {
			jest.spyOn(Container.get(Logger), level).mockImplementation((...given: unknown[]) => {
				log.push(String(given[0]));
			});
		}
	});
	afterEach(() => {
		log.length = 0;
	});
	return log;
}

/** How many executions were numbered. */
let executions = 0;

/** Runs the Dossier node on some items, after the given steps. With several rounds, gives the outcome of the last. */
export async function runDossier(run: Run): Promise<Outcome> {
	const nodeTypes = toNodeTypes({
		source: createSource(run),
		dossier: dossierNode,
		dropper,
	});
	const { steps = [] } = run;
	const next = (at: number) => steps[at]?.name ?? 'Dossier';
	const to = (name: string) => [{ node: name, type: NodeConnectionTypes.Main, index: 0 }];
	const credentials = {
		dossierApi: { id: run.credentialId ?? '1', name: 'Test' },
		dossierWorkspaceApi: { id: '1', name: 'Test' },
	};
	const definition = {
		id: 'test',
		name: 'Test',
		active: false,
		nodes: [
			makeNode('Source', 'source'),
			...steps.map(({ name, parameters }) =>
				makeNode(name, parameters ? 'dossier' : 'dropper', { parameters, credentials }),
			),
			makeNode('Dossier', 'dossier', {
				parameters: run.parameters,
				credentials,
				onError: run.onError,
				retryOnFail: run.retryOnFail,
				executeOnce: run.executeOnce,
			}),
		],
		connections: {
			Source: { main: [run.items, ...(run.rounds ?? [])].map(() => to(next(0))) },
			...Object.fromEntries(steps.map(({ name }, at) => [name, { main: [to(next(at + 1))] }])),
		},
		settings: { timezone: 'Europe/Berlin' },
	};
	const workflow = new Workflow({ ...definition, nodeTypes });
	const { executionId = String(++executions) } = run;
	const data = { ...makeAdditionalData(run.credential), executionId };
	const dates = { createdAt: new Date(0), updatedAt: new Date(0) };
	const hooks = new ExecutionLifecycleHooks('manual', executionId, {
		...definition,
		...dates,
		activeVersionId: null,
		isArchived: false,
	});
	const execution = new WorkflowExecute(Object.assign(data, { hooks }), 'manual').run({
		workflow,
		startNode: workflow.getNode('Source') ?? undefined,
	});
	void run.cancelWhen?.then(() => execution.cancel());
	const result = await execution;
	const { runData, error: failed } = result.data.resultData;
	const last = runData.Dossier?.at(-1);
	const output = last?.data?.main ?? [];
	const error = last?.error ?? failed;
	if (!last) throw error ?? new Error('The node did not run');
	const hints = (last.hints ?? []).map(({ message }) => message);
	return { items: output[0] ?? [], errors: output[1] ?? [], hints, error };
}
