/** Workflows that tests build, and the results of running them. */
import type {
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeTypeDescription,
} from 'n8n-workflow';
import { awaitExecution, importWorkflow, runWorkflow } from '../../scripts/host/rest.ts';
import type {
	Execution,
	StoredWorkflow,
	WorkflowFile,
	CredentialReference,
} from '../../scripts/host/rest.ts';
import type { Step } from '../../scripts/host/workflows.ts';
import type { Live } from './live.ts';

/** The node, as n8n knows it. */
export const DOSSIER = 'n8n-nodes-dossier.dossier';

/** Steps that begin a workflow by hand with one item for each of these records. */
export const startWith = (records: Array<Record<string, unknown>>): Step[] => [
	{ name: 'Start', type: 'n8n-nodes-base.manualTrigger', parameters: {} },
	{
		name: 'Records',
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		parameters: { mode: 'raw', jsonOutput: JSON.stringify({ records }), options: {} },
	},
	{
		name: 'Items',
		type: 'n8n-nodes-base.splitOut',
		parameters: { fieldToSplitOut: 'records', options: {} },
	},
];

/** A step of the Dossier node, which continues if an item fails, unless another `onError` is given. */
export const dossierStep = (
	name: string,
	credential: CredentialReference,
	parameters: INodeParameters,
	onError: INode['onError'] = 'continueRegularOutput',
): Step => ({ name, type: DOSSIER, parameters, credentials: { dossierApi: credential }, onError });

/** An ID that stands in a locator, or the expression that gives it. */
export const byId = (value: string) => ({ __rl: true as const, mode: 'id', value });

/** Stores a workflow and runs it to its end. */
export async function runOnce(live: Live, workflow: WorkflowFile): Promise<Execution> {
	return await runStored(live, await importWorkflow(live.session, workflow));
}

export async function runStored(live: Live, workflow: StoredWorkflow): Promise<Execution> {
	const id = await runWorkflow(live.session, workflow);
	return await awaitExecution(live.session, id, live.signal);
}

/** What a node of an execution gave out. */
export function readItems(
	{ data }: Pick<Execution, 'data'>,
	node: string,
	output = 0,
): INodeExecutionData[] {
	const runs = data.resultData.runData[node] ?? [];
	return runs.flatMap((run) => run.data?.main?.[output] ?? []);
}

/** The operations that a form offers, such as `dossier/create`. */
export function listOperations({ properties }: INodeTypeDescription): string[] {
	const choices = properties.filter(({ name }) => name === 'operation');
	return choices.flatMap(({ displayOptions, options }) =>
		(displayOptions?.show?.resource ?? []).flatMap((resource) =>
			(options ?? [])
				.map((option) => ('value' in option ? option.value : ''))
				// n8n itself adds this one, whose output depends on the call
				.filter((operation) => operation !== '__CUSTOM_API_CALL__')
				.map((operation) => `${resource as string}/${operation}`),
		),
	);
}
