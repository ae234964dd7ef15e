import type { Operation } from '../../execution/operation';
import { requireChanges } from '../../execution/parameters';
import { dossierLocator } from '../../execution/fields';
import { changeDossier } from './changes';
import { dossierBody, updateCollection } from './form';

export const update: Operation = {
	name: 'Update',
	value: 'update',
	action: 'Update a dossier',
	description: 'Change some fields of a dossier; all others keep their values',
	output: 'Dossier',
	fields: [dossierLocator, updateCollection],
	async run({ parameters, api }) {
		const id = parameters.id('dossierId');
		const changes = parameters.body(dossierBody, 'fields');
		requireChanges(changes);
		const dossier = await api.call('dossiers.get', { id });
		return { json: await changeDossier(api, { ...dossier, id }, changes) };
	},
};
