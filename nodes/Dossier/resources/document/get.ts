import type { Operation } from '../../execution/operation';
import { documentLocator } from '../../execution/locators';
import { outputFields, readShape } from '../../execution/output';
import { SIMPLE_DOCUMENT } from './form';

export const get: Operation = {
	name: 'Get',
	value: 'get',
	action: 'Get document by ID',
	description: 'Read what the service knows about a document, without its file',
	output: 'Document',
	fields: [...documentLocator, ...outputFields('document', SIMPLE_DOCUMENT, 'raw')],
	async run({ parameters, api }) {
		const shape = readShape(parameters, SIMPLE_DOCUMENT);
		const id = parameters.id('documentId');
		const document = await api.call('documents.get', { id });
		return shape(document);
	},
};
