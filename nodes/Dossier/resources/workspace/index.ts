import type { INodeProperties } from 'n8n-workflow';
import type { Operation, Resource } from '../../execution/operation';
import { textField } from '../../execution/fields';
import { readUpdated, requireChanges } from '../written';
import { categoryFields, fileFields, readUpload } from '../document/source';
import { uploadOptions } from '../document/uploadOptions';
import { showOriginalName } from '../document/send';
import { dossierBody, workspaceUpdateCollection } from '../dossier/form';
import type { Api } from '../../api/client';
import type { FileSource } from '../../api/transfer/body';
import { uploadFile } from '../../api/transfer/upload';

/** The dossier by its ID, because this credential cannot list dossiers. */
const dossierId: INodeProperties = textField(
	'Dossier ID',
	'dossierId',
	'dos_8f3k2m1q',
	'ID of the dossier to work on',
	{ required: true },
);

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
	addedOutput: { original_file_name: 'string' },
	fields: [dossierId, ...fileFields, ...categoryFields, uploadOptions],
	async run(run) {
		const id = run.parameters.id('dossierId');
		const { category, given, format, files, handsOnFiles } = readUpload(run);
		const fields = { dossier_id: id, category, ...given };
		const target = { endpoint: 'workspace.documents.create', fields } as const;
		const send = async (source: FileSource, api: Api) => ({
			json: await uploadFile(api, target, source, format),
			added: showOriginalName(source),
		});
		return await run.each(files, send, handsOnFiles);
	},
};

/** */
const updateWorkspaceDossier: Operation = {
	name: 'Update Dossier',
	value: 'updateDossier',
	action: 'Update dossier by ID in workspace',
	description: 'Change some fields of a dossier as a customer; all others keep their values',
	output: 'Dossier',
	fields: [dossierId, workspaceUpdateCollection],
	async run({ parameters, api }) {
		const id = parameters.id('dossierId');
		const body = parameters.body(dossierBody, 'fields');
		requireChanges(body);
		api.translator.refuseUnsent('dossier', body);
		const answer = await api.call('workspace.dossiers.update', { id, body });
		return { json: readUpdated(answer, id, body) };
	},
};

export const workspace: Resource = {
	name: 'Workspace',
	value: 'workspace',
	description: 'What a customer does, signed in with tenant and business unit',
	access: 'workspace',
	operations: [getBootstrap, createDocument, updateWorkspaceDossier],
};
