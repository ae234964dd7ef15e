import type { Operation } from '../../execution/operation';
import { dossierLocator } from '../../execution/locators';
import { outputFields, readShape } from '../../execution/output';
import { SIMPLE_DOSSIER } from './form';

export const get: Operation = {
	name: 'Get',
	value: 'get',
	action: 'Get dossier by ID or reference',
	description: 'Read one dossier',
	output: 'Dossier',
	fields: [dossierLocator, ...outputFields('dossier', SIMPLE_DOSSIER, 'raw')],
	async run({ parameters, api }) {
		const shape = readShape(parameters, SIMPLE_DOSSIER);
		const id = parameters.id('dossierId');
		const dossier = await api.call('dossiers.get', { id });
		return shape(dossier);
	},
};
