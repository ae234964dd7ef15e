import { Problem } from '../../problems/problem';
import type { Operation } from '../../execution/operation';
import { dossierLocator } from '../../execution/locators';
import { changeDossier, readChanges } from './changes';
import { updateCollection } from './form';

export const updateDossier: Operation = {
	name: 'Update',
	value: 'update',
	action: 'Update dossier by ID or reference',
	description: 'Change some fields of a dossier; all others keep their values',
	output: 'Dossier',
	fields: [dossierLocator, updateCollection],
	async run(run) {
		const id = run.parameters.id('dossierId');
		const changes = readChanges(run.parameters);
		const { fields, addTags, removeTags } = changes;
		if (!Object.keys(fields).length && !addTags.length && !removeTags.length) {
			throw new Problem('NOTHING_TO_UPDATE', { field: 'fields' });
		}
		return { json: await changeDossier(run, id, changes) };
	},
};
