import type { Operation } from '../../execution/operation';
import { hidesText } from '../ignored';
import { createCollection, dossierBody, titleField } from './form';

export const createDossier: Operation = {
	name: 'Create',
	value: 'create',
	action: 'Create dossier',
	description: 'Open a new dossier',
	output: 'Dossier',
	fields: [{ ...titleField, required: true }, createCollection],
	async run({ parameters, api, note }) {
		const title = parameters.text('title');
		const body = {
			title,
			...parameters.body(dossierBody, 'fields'),
		};
		const dossier = await api.call('dossiers.create', { body });
		if (hidesText(body, dossier)) note('unshown');
		return { json: dossier };
	},
};
