/** Workflows that tests build. */
import type { INodeTypeDescription } from 'n8n-workflow';
import { runStored } from '../../scripts/host/executions.ts';
import { importWorkflow } from '../../scripts/host/rest.ts';
import type { Execution, WorkflowFile } from '../../scripts/host/rest.ts';
import { START, splitOut } from '../../scripts/host/steps.ts';
import type { Step } from '../../scripts/host/steps.ts';
import type { Live } from './live.ts';

/** Steps that begin a workflow by hand with one item for each of these records. */
export const startWith = (records: Array<Record<string, unknown>>): Step[] => [
	START,
	{
		name: 'Records',
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		parameters: { mode: 'raw', jsonOutput: JSON.stringify({ records }), options: {} },
	},
	splitOut('Items', 'records'),
];

/** Stores a workflow and runs it to its end. */
export async function runOnce(live: Live, workflow: WorkflowFile): Promise<Execution> {
	return await runStored(live, await importWorkflow(live.session, workflow));
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
