import { dossierList } from '../../execution/lists/dossiers';
import { getMany } from '../many';

export const getManyDossiers = getMany({
	action: 'Get many dossiers',
	description: 'List dossiers, all of them or those that match',
	list: dossierList,
	output: 'Dossier',
});
