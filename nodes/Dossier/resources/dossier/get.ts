import type { Operation } from '../../execution/operation';
import { dossierLocator, simplify, simplifyField } from '../../execution/fields';
import { SIMPLE_DOSSIER } from './form';

export const get: Operation = {
	name: 'Get',
	value: 'get',
	action: 'Get a dossier',
	description: 'Read one dossier',
	output: 'Dossier',
	fields: [dossierLocator, simplifyField],
	async run({ parameters, api }) {
		const id = parameters.id('dossierId');
		const dossier = await api.call('dossiers.get', { id });
		return parameters.flag('simplify') ? simplify(dossier, SIMPLE_DOSSIER) : { json: dossier };
	},
};
