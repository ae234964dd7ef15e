// Programmatic, because files are streamed in both directions, answers differ in shape, and the items of a run share what they read.
import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import type { Access } from './api/endpoints';
import { testDossierApi, testDossierWorkspaceApi } from './execution/credentialTest';
import { runItems } from './execution/items';
import { buildForm, buildSubtitle } from './execution/operation';
import {
	getDossiers,
	searchDocuments,
	searchDossiers,
	searchPortalUsers,
	searchTasks,
} from './execution/pickers';
import { resources } from './resources';

const resourcesWith = (wanted: Access) =>
	resources.filter(({ access }) => access === wanted).map(({ value }) => value);

export class Dossier implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Dossier',
		name: 'dossier',
		icon: { light: 'file:../../icons/dossier.svg', dark: 'file:../../icons/dossier.dark.svg' },
		group: ['input'],
		version: 1,
		subtitle: buildSubtitle(resources),
		description: 'Manage dossiers, documents, portal users and tasks',
		defaults: { name: 'Dossier' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{
				name: 'dossierApi',
				required: true,
				testedBy: 'testDossierApi',
				displayOptions: { show: { resource: resourcesWith('key') } },
			},
			{
				name: 'dossierWorkspaceApi',
				required: true,
				testedBy: 'testDossierWorkspaceApi',
				displayOptions: { show: { resource: resourcesWith('workspace') } },
			},
		],
		properties: buildForm(resources),
	};

	methods = {
		credentialTest: { testDossierApi, testDossierWorkspaceApi },
		listSearch: { searchDocuments, searchDossiers, searchPortalUsers, searchTasks },
		loadOptions: { getDossiers },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await runItems(this, resources)];
	}
}
