import type { Operation } from '../../execution/operation';
import { deleted, documentLocator } from '../../execution/fields';

export const deleteDocument: Operation = {
	name: 'Delete',
	value: 'delete',
	action: 'Delete a document',
	description: 'Delete a document and its file',
	fields: documentLocator,
	async run({ parameters, api }) {
		const id = parameters.id('documentId', 'Document');
		await api.call('documents.delete', { id });
		return deleted(id);
	},
};
