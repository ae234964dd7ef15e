import type { Operation } from '../../execution/operation';
import { confirmDeletion } from '../../execution/fields';
import { dossierLocator } from '../../execution/locators';

export const deleteDossier: Operation = {
	name: 'Delete',
	value: 'delete',
	action: 'Delete dossier',
	description: 'Delete a dossier with all its documents and tasks',
	output: 'Deleted',
	fields: [
		{
			...dossierLocator,
			hint: "Its documents and tasks are deleted with it. This can't be undone.",
		},
	],
	async run({ parameters, api }) {
		const id = parameters.id('dossierId');
		await api.call('dossiers.delete', { id });
		return confirmDeletion(id);
	},
};
