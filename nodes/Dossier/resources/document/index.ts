import type { Resource } from '../../execution/operation';
import { deleteDocument } from './delete';
import { downloadDocument } from './download';
import { getDocument } from './get';
import { getManyDocuments } from './getMany';
import { synchronise } from './synchronise';
import { upload } from './upload';

export const document: Resource = {
	name: 'Document',
	value: 'document',
	description: 'A file in a dossier',
	access: 'key',
	operations: [
		upload,
		downloadDocument,
		getManyDocuments,
		getDocument,
		synchronise,
		deleteDocument,
	],
};
