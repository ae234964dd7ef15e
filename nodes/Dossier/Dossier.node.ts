// Programmatic, because files are streamed both ways, answers differ in shape, and items of one run share what they found.
import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { testDossierApi } from './credentialTest';
import { runItems } from './items';
import { formOf } from './operation';
import { searchDocuments, searchDossiers } from './pickers';
import { resources } from './resources';

export class Dossier implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Dossier',
		name: 'dossier',
		icon: { light: 'file:../../icons/dossier.svg', dark: 'file:../../icons/dossier.dark.svg' },
		group: ['input'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description: 'Manage dossiers and their documents',
		defaults: { name: 'Dossier' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'dossierApi', required: true, testedBy: 'testDossierApi' }],
		properties: formOf(resources),
	};

	methods = {
		credentialTest: { testDossierApi },
		listSearch: { searchDocuments, searchDossiers },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await runItems(this, resources)];
	}
}
