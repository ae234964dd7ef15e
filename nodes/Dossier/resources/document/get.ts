import type { Operation } from '../../execution/operation';
import { documentList } from '../../execution/lists/documents';
import { documentLocator } from '../../execution/locators';
import { outputFields, readShape } from '../../execution/output';

export const getDocument: Operation = {
	name: 'Get',
	value: 'get',
	action: 'Get document by ID',
	description: 'Read what the service knows about a document, without its file',
	output: 'Document',
	fields: [...documentLocator, ...outputFields('document', documentList.simple, 'raw')],
	async run({ parameters, api }) {
		const shape = readShape(parameters, documentList.simple);
		const id = parameters.id('documentId');
		const document = await api.call('documents.get', { id });
		return shape(document);
	},
};
