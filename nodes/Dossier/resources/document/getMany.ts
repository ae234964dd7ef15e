import { dossierLocator } from '../../execution/locators';
import { getMany, momentFilter, searchFilter } from '../many';
import { categoryFilter, SIMPLE_DOCUMENT } from './form';

export const getManyDocuments = getMany({
	action: 'Get many documents',
	description: 'List the documents of a dossier',
	endpoint: 'documents.list',
	born: { time: 'created_at', after: 'created_after' },
	output: 'Document',
	before: [dossierLocator],
	readId: (parameters) => parameters.id('dossierId'),
	filters: [
		{ key: 'category', field: categoryFilter },
		momentFilter('created_after', 'Created After', 'uploaded after'),
		momentFilter('created_before', 'Created Before', 'uploaded before'),
		{
			key: 'file_name',
			field: {
				displayName: 'File Name',
				name: 'fileName',
				type: 'string',
				default: '',
				placeholder: 'e.g. invoice.pdf',
				description: 'Only documents with exactly this file name',
			},
		},
		searchFilter('invoice'),
	],
	sorts: ['created_at', 'category', 'file_name', 'size_bytes', 'title', 'updated_at'],
	simple: SIMPLE_DOCUMENT,
});
