import { documentList } from '../../execution/lists/documents';
import { dossierLocator } from '../../execution/locators';
import { getMany } from '../many';

export const getManyDocuments = getMany({
	action: 'Get many documents',
	description: 'List the documents of a dossier',
	list: documentList,
	before: [dossierLocator],
	readId: (parameters) => parameters.id('dossierId'),
	output: 'Document',
});
