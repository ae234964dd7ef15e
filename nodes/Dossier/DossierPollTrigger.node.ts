import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IPollFunctions,
} from 'n8n-workflow';
import { chosenLabels } from './execution/fields';
import { searchDossierTypes, searchUsers } from './execution/namePickers';
import { getDossiers, searchDossiers } from './execution/pickers';
import { eventsField } from './trigger/form';
import { pollForm, recordField } from './trigger/poll/form';
import { pollTrigger, runPolled } from './trigger/poll/trigger';

export class DossierPollTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Dossier Poll Trigger',
		name: 'dossierPollTrigger',
		icon: { light: 'file:../../icons/dossier.svg', dark: 'file:../../icons/dossier.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: `={{ $parameter["watch"] === "records" ? "New: " + ${chosenLabels(recordField)} : ${chosenLabels(eventsField)} }}`,
		description:
			'Starts a workflow when something happens or a record is new, by asking the service from time to time: for an n8n that the service cannot reach',
		defaults: { name: 'Dossier Poll Trigger' },
		builderHint: {
			searchHint:
				'The same events as n8n-nodes-dossier.dossierTrigger, asked for at intervals. Prefer that trigger if the service can call this n8n.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-dossier.dossierTrigger',
					relationHint: 'Use it in place of this one if the service can call this n8n',
				},
			],
		},
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'dossierApi', required: true, testedBy: 'testDossierApi' }],
		properties: pollForm,
	};

	methods = {
		loadOptions: { getDossiers },
		listSearch: { searchDossiers, searchDossierTypes, searchUsers },
	};

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await pollTrigger(this);
	}

	/** n8n calls this as the first step of a run that a poll begins, and instead of `poll` in a manual execution. */
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runPolled(this);
	}
}
