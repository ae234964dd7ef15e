import type { Operation } from '../../execution/operation';
import { confirmDeletion } from '../../execution/fields';
import { documentLocator } from '../../execution/locators';

export const deleteDocument: Operation = {
	name: 'Delete',
	value: 'delete',
	action: 'Delete document by ID',
	description: 'Delete a document and its file permanently',
	caution: "Deletes the document of each item and its file permanently. This can't be undone.",
	output: 'Deleted',
	fields: documentLocator,
	async run({ parameters, api }) {
		const id = parameters.id('documentId');
		await api.call('documents.delete', { id });
		return confirmDeletion(id);
	},
};
