import type { Resource } from '../../execution/operation';
import { createDossier } from './create';
import { createOrUpdate } from './createOrUpdate';
import { deleteDossier } from './delete';
import { getDossier } from './get';
import { getManyDossiers } from './getMany';
import { updateDossier } from './update';

export const dossier: Resource = {
	name: 'Dossier',
	value: 'dossier',
	description: 'A case file that holds documents and tasks',
	access: 'key',
	operations: [
		getManyDossiers,
		getDossier,
		createDossier,
		createOrUpdate,
		updateDossier,
		deleteDossier,
	],
};
