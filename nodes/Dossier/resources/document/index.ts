import type { Resource } from '../../execution/operation';
import { deleteDocument } from './delete';
import { download } from './download';
import { get } from './get';
import { getManyDocuments } from './getMany';
import { synchronise } from './synchronise';
import { upload } from './upload';

export const document: Resource = {
	name: 'Document',
	value: 'document',
	description: 'A file in a dossier',
	access: 'key',
	operations: [upload, download, getManyDocuments, get, synchronise, deleteDocument],
};
