import { optionsField } from '../../execution/fields';
import { documentList } from '../../execution/lists/documents';
import { documentLocator } from '../../execution/locators';
import type { Operation, Resource } from '../../execution/operation';
import { outputFields, readShape } from '../../execution/output';
import { addPeople, peopleField } from '../../execution/people';
import { confirmDeletion, deletionLimit, limitDeletions, readNames } from '../deletion';
import { downloadDocument } from './download';
import { getManyDocuments } from './getMany';
import { moveOrCopy } from './moveOrCopy';
import { synchronize } from './synchronize';
import { uploadDocument } from './upload';

const getDocument: Operation = {
	name: 'Get',
	value: 'get',
	action: 'Get document by ID',
	description: 'Get the data of a document, without its file',
	output: 'Document',
	fields: [
		...documentLocator,
		...outputFields('document', documentList.simple, 'raw'),
		optionsField([peopleField]),
	],
	async run(run) {
		const { parameters, api } = run;
		const shape = readShape(parameters, documentList.simple);
		const id = parameters.id('documentId');
		const document = await api.call('documents.get', { id });
		return await addPeople(run, document, shape);
	},
};

const deleteDocument: Operation = {
	name: 'Delete',
	value: 'delete',
	action: 'Delete document by ID',
	description: 'Delete a document and its file permanently',
	caution: "Deletes the document of each item and its file permanently. This can't be undone.",
	output: 'Deleted',
	addedOutput: { file_name: 'string', title: 'string' },
	fields: [...documentLocator, deletionLimit],
	prepare: limitDeletions('documentId'),
	async run(run) {
		const id = run.parameters.id('documentId');
		const names = await readNames(run.api, 'documents.get', id, ['file_name', 'title']);
		await run.api.call('documents.delete', { id });
		return confirmDeletion(run, id, names);
	},
};

export const document: Resource = {
	name: 'Document',
	value: 'document',
	description: 'A file in a dossier',
	access: 'key',
	operations: [
		uploadDocument,
		downloadDocument,
		getManyDocuments,
		getDocument,
		moveOrCopy,
		synchronize,
		deleteDocument,
	],
};
