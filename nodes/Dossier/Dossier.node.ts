// Programmatic, because files are streamed, answers have many shapes, and the items of a run share what they read.
import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { testDossierApi, testDossierWorkspaceApi } from './execution/credentialTest';
import { runItems } from './execution/items';
import { buildForm, buildHints, buildSubtitle } from './execution/nodeForm';
import {
	getDossiers,
	searchDocuments,
	searchDossiers,
	searchPortalUsers,
	searchTasks,
} from './execution/pickers';
import { searchDossierTypes, searchUsers } from './execution/namePickers';
import { resources } from './resources';

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
		builderHint: {
			searchHint:
				'For case files of clients (dossiers), their documents, a client portal and tasks. To import files, use document/upload with If Document Exists set to Skip, after dossier/upsert by the reference: both can run again without duplicates. As a tool for an agent, use one node for each operation: it takes a reference for a dossier, gives the text of text files, and never hands over files. Give an agent a delete or remove operation only if the user asks for it.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-dossier.dossierTrigger',
					relationHint: 'Starts a workflow when a document is uploaded, a task is due, and so on',
				},
				{
					nodeType: 'n8n-nodes-dossier.dossierPollTrigger',
					relationHint: 'Does the same for an n8n that the service cannot call',
				},
				{
					nodeType: '@n8n/n8n-nodes-langchain.mcpTrigger',
					relationHint: 'Offers operations of this node to MCP clients, one tool for each',
				},
			],
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{
				name: 'dossierApi',
				required: true,
				testedBy: 'testDossierApi',
				displayOptions: {
					show: {
						resource: [
							'auditLog',
							'document',
							'dossier',
							'portalSignIn',
							'portalUser',
							'service',
							'task',
						],
					},
					hide: { baseUrlFrom: ['form'] },
				},
			},
			{
				name: 'dossierWorkspaceApi',
				required: true,
				testedBy: 'testDossierWorkspaceApi',
				displayOptions: { show: { resource: ['administration', 'workspace'] } },
			},
		],
		hints: buildHints(resources),
		properties: buildForm(resources),
	};

	methods = {
		credentialTest: { testDossierApi, testDossierWorkspaceApi },
		listSearch: {
			searchDocuments,
			searchDossiers,
			searchDossierTypes,
			searchPortalUsers,
			searchTasks,
			searchUsers,
		},
		loadOptions: { getDossiers },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await runItems(this, resources)];
	}
}
