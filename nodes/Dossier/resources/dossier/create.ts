import type { Operation } from '../../execution/operation';
import { bodyOf } from '../../execution/parameters';
import { createCollection, dossierBody, titleField } from './form';

export const create: Operation = {
	name: 'Create',
	value: 'create',
	action: 'Create a dossier',
	description: 'Open a new dossier',
	fields: [{ ...titleField, required: true }, createCollection],
	async run({ parameters, api }) {
		const title = parameters.text('title', 'Title');
		const body = {
			title,
			...bodyOf(parameters.collection('fields'), dossierBody, parameters.timezone),
		};
		return { json: await api.call('dossiers.create', { body }) };
	},
};
