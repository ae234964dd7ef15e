import type { INodeProperties } from 'n8n-workflow';
import type { Operation, Resource } from '../../execution/operation';
import { requireChanges } from '../../execution/parameters';
import { categoryFields, readCategory } from '../document/form';
import {
	bodyFields,
	fileFields,
	readFormat,
	openSource,
	listSources,
	uploadOptions,
} from '../document/source';
import { dossierBody, workspaceUpdateCollection } from '../dossier/form';
import { uploadFile } from '../../api/upload';
import { toText } from '../../api/values';

/** The dossier by its ID, because this credential cannot list dossiers. */
const dossierId: INodeProperties = {
	displayName: 'Dossier ID',
	name: 'dossierId',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. dos_8f3k2m1q',
	description: 'ID of the dossier to work on',
};

/** */
const getBootstrap: Operation = {
	name: 'Get Bootstrap',
	value: 'getBootstrap',
	action: 'Get workspace bootstrap',
	description: 'Read who is signed in: user, tenant, business units, plan, features and limits',
	output: 'WorkspaceBootstrap',
	fields: [],
	async run({ api }) {
		return { json: await api.call('workspace.bootstrap') };
	},
};

/** */
const createDocument: Operation = {
	name: 'Create Document',
	value: 'createDocument',
	action: 'Create document in workspace',
	description: 'Add one or several files to a dossier, as a customer',
	output: 'Document',
	fields: [dossierId, ...fileFields, ...categoryFields, uploadOptions],
	async run(run) {
		const { parameters } = run;
		const fields = {
			dossier_id: parameters.text('dossierId'),
			category: readCategory(parameters),
			...parameters.body(bodyFields, 'options'),
		};
		const target = { endpoint: 'workspace.documents.create', fields } as const;
		const sources = listSources(run);
		return await run.each(
			[...sources.keys()],
			async (name) => await openSource(run, sources.get(name)),
			async (source, api) => ({
				json: await uploadFile(api, target, source, readFormat(run)),
			}),
		);
	},
};

/** */
const updateDossier: Operation = {
	name: 'Update Dossier',
	value: 'updateDossier',
	action: 'Update dossier by ID in workspace',
	description: 'Change some fields of a dossier as a customer; all others keep their values',
	output: 'Dossier',
	fields: [dossierId, workspaceUpdateCollection],
	async run({ parameters, api }) {
		const id = parameters.text('dossierId');
		const body = parameters.body(dossierBody, 'fields');
		requireChanges(body);
		const answer = await api.call('workspace.dossiers.update', { id, body });
		return { json: toText(answer.id) === undefined ? { id, ...body } : answer };
	},
};

export const workspace: Resource = {
	name: 'Workspace',
	value: 'workspace',
	description: 'What a customer does, signed in with tenant and business unit',
	access: 'workspace',
	operations: [getBootstrap, createDocument, updateDossier],
};
