import type { Operation } from '../../execution/operation';
import { documentLocator, simplify, simplifyField } from '../../execution/fields';
import { SIMPLE_DOCUMENT } from './form';

export const get: Operation = {
	name: 'Get',
	value: 'get',
	action: 'Get a document',
	description: 'Read what the service knows about a document, without its file',
	output: 'Document',
	fields: [...documentLocator, simplifyField],
	async run({ parameters, api }) {
		const id = parameters.id('documentId');
		const document = await api.call('documents.get', { id });
		return parameters.flag('simplify') ? simplify(document, SIMPLE_DOCUMENT) : { json: document };
	},
};
