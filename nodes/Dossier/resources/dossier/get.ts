import type { Operation } from '../../execution/operation';
import { dossierList } from '../../execution/lists/dossiers';
import { dossierLocator } from '../../execution/locators';
import { outputFields, readShape } from '../../execution/output';

export const getDossier: Operation = {
	name: 'Get',
	value: 'get',
	action: 'Get dossier by ID or reference',
	description: 'Read one dossier',
	output: 'Dossier',
	fields: [dossierLocator, ...outputFields('dossier', dossierList.simple, 'raw')],
	async run({ parameters, api }) {
		const shape = readShape(parameters, dossierList.simple);
		const id = parameters.id('dossierId');
		const dossier = await api.call('dossiers.get', { id });
		return shape(dossier);
	},
};
