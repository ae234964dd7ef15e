import type { INodeProperties } from 'n8n-workflow';
import { collect } from '../../api/pages';
import type { Operation } from '../../operation';
import { asDate, asText, bodyOf } from '../../parameters';
import type { Written } from '../../parameters';
import { amountFields, dossierLocator, simplified, simplifyField } from '../fields';
import { categoryFilter, categoryWritten, SIMPLE_DOCUMENT } from './form';

const filters: INodeProperties = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add Filter',
	default: {},
	description: 'Which documents to return; all conditions must hold',
	options: [
		categoryFilter,
		{
			displayName: 'Created After',
			name: 'createdAfter',
			type: 'dateTime',
			default: '',
			description: "Only those uploaded after this moment, in the workflow's timezone",
		},
		{
			displayName: 'Created Before',
			name: 'createdBefore',
			type: 'dateTime',
			default: '',
			description: "Only those uploaded before this moment, in the workflow's timezone",
		},
		{
			displayName: 'File Name',
			name: 'fileName',
			type: 'string',
			default: '',
			placeholder: 'e.g. invoice.pdf',
			description: 'Only documents with exactly this file name',
		},
		{
			displayName: 'Search',
			name: 'search',
			type: 'string',
			default: '',
			placeholder: 'e.g. invoice',
			description: 'Only those that contain these words',
		},
	],
};

/** */
const query: Record<string, Written> = {
	category: categoryWritten,
	createdAfter: { as: 'created_after', label: 'Created After', read: asDate },
	createdBefore: { as: 'created_before', label: 'Created Before', read: asDate },
	fileName: { as: 'file_name', label: 'File Name', read: asText },
	search: { as: 'q', label: 'Search', read: asText },
};

export const getMany: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many documents',
	description: 'List the documents of a dossier',
	fields: [dossierLocator, ...amountFields, filters, simplifyField],
	async run({ parameters, api }) {
		const documents = await collect(
			api,
			'documents.list',
			{
				id: parameters.id('dossierId', 'Dossier'),
				query: bodyOf(parameters.collection('filters'), query, parameters.timezone),
			},
			parameters.limit(),
		);
		return documents.map((document) =>
			parameters.flag('simplify') ? simplified(document, SIMPLE_DOCUMENT) : { json: document },
		);
	},
};
