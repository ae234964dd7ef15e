import type { Operation } from '../../execution/operation';
import { bodyOf, requireChanges } from '../../execution/parameters';
import { dossierLocator } from '../../execution/fields';
import { changeDossier } from './changes';
import { dossierBody, updateCollection } from './form';

export const update: Operation = {
	name: 'Update',
	value: 'update',
	action: 'Update a dossier',
	description: 'Change some fields of a dossier and keep the others',
	fields: [dossierLocator, updateCollection],
	async run({ parameters, api }) {
		const id = parameters.id('dossierId', 'Dossier');
		const changes = bodyOf(parameters.collection('fields'), dossierBody, parameters.timezone);
		requireChanges(changes);
		const dossier = await api.call('dossiers.get', { id });
		return { json: await changeDossier(api, { ...dossier, id }, changes) };
	},
};
