import type { Resource } from '../../execution/operation';
import { create } from './create';
import { createOrUpdate } from './createOrUpdate';
import { deleteDossier } from './delete';
import { get } from './get';
import { getManyDossiers } from './getMany';
import { update } from './update';

export const dossier: Resource = {
	name: 'Dossier',
	value: 'dossier',
	description: 'A case file that holds documents and tasks',
	access: 'key',
	operations: [getManyDossiers, get, create, createOrUpdate, update, deleteDossier],
};
