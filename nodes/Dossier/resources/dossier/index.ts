import { optionsField } from '../../execution/fields';
import { dossierList } from '../../execution/lists/dossiers';
import { dossierLocator } from '../../execution/locators';
import type { Operation, Resource } from '../../execution/operation';
import { outputFields, readShape } from '../../execution/output';
import { addPeople, peopleField } from '../../execution/people';
import { hidesText, requireChanges } from '../written';
import { confirmDeletion, deletionLimit, limitDeletions, readNames } from '../deletion';
import { getMany } from '../many';
import { enterChanges, changeDossier, readChanges } from './changes';
import { createOrUpdate } from './createOrUpdate';
import { createCollection, dossierBody, titleField, updateCollection } from './form';

const getManyDossiers = getMany({
	action: 'Get many dossiers',
	description: 'List dossiers, all of them or those that match',
	list: dossierList,
	output: 'Dossier',
});

const getDossier: Operation = {
	name: 'Get',
	value: 'get',
	action: 'Get dossier by ID or reference',
	description: 'Read one dossier',
	output: 'Dossier',
	fields: [
		dossierLocator,
		...outputFields('dossier', dossierList.simple, 'raw'),
		optionsField([peopleField]),
	],
	async run(run) {
		const { parameters, api } = run;
		const shape = readShape(parameters, dossierList.simple);
		const id = parameters.id('dossierId');
		const dossier = await api.call('dossiers.get', { id });
		return await addPeople(run, dossier, shape);
	},
};

const createDossier: Operation = {
	name: 'Create',
	value: 'create',
	action: 'Create dossier',
	description: 'Open a new dossier',
	output: 'Dossier',
	fields: [{ ...titleField, required: true }, createCollection],
	async run({ parameters, api, note }) {
		const body = { title: parameters.text('title'), ...parameters.body(dossierBody, 'fields') };
		api.translator.refuseUnsent('dossier', body);
		const dossier = await api.call('dossiers.create', { body });
		if (hidesText(body, dossier)) note('unshown');
		return { json: dossier };
	},
};

const updateDossier: Operation = {
	name: 'Update',
	value: 'update',
	action: 'Update dossier by ID or reference',
	description: 'Change some fields of a dossier; all others keep their values',
	output: 'Dossier',
	fields: [dossierLocator, updateCollection],
	async run(run) {
		const id = run.parameters.id('dossierId');
		const changes = readChanges(run.parameters);
		requireChanges(enterChanges(changes));
		return { json: await changeDossier(run, id, changes) };
	},
};

const deleteDossier: Operation = {
	name: 'Delete',
	value: 'delete',
	action: 'Delete dossier by ID or reference',
	description: 'Delete a dossier permanently, with all its documents and tasks',
	caution:
		"Deletes the dossier of each item permanently, with its documents and tasks. This can't be undone.",
	output: 'Deleted',
	addedOutput: { title: 'string', reference: 'string' },
	fields: [dossierLocator, deletionLimit],
	prepare: limitDeletions('dossierId'),
	async run(run) {
		const id = run.parameters.id('dossierId');
		const names = await readNames(run.api, 'dossiers.get', id, ['title', 'reference']);
		await run.api.call('dossiers.delete', { id });
		return confirmDeletion(run, id, names);
	},
};

export const dossier: Resource = {
	name: 'Dossier',
	value: 'dossier',
	description: 'A case file that holds documents and tasks',
	access: 'key',
	operations: [
		getManyDossiers,
		getDossier,
		createDossier,
		createOrUpdate,
		updateDossier,
		deleteDossier,
	],
};
