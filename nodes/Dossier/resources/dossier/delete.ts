import type { Operation } from '../../execution/operation';
import { confirmDeletion } from '../../execution/fields';
import { dossierLocator } from '../../execution/locators';

export const deleteDossier: Operation = {
	name: 'Delete',
	value: 'delete',
	action: 'Delete dossier by ID or reference',
	description: 'Delete a dossier permanently, with all its documents and tasks',
	caution:
		"Deletes the dossier of each item permanently, with its documents and tasks. This can't be undone.",
	output: 'Deleted',
	fields: [dossierLocator],
	async run({ parameters, api }) {
		const id = parameters.id('dossierId');
		await api.call('dossiers.delete', { id });
		return confirmDeletion(id);
	},
};
