import type { INodeProperties } from 'n8n-workflow';
import { toText } from '../../api/json';
import { takeTurn } from '../../api/memory';
import { optionsField } from '../../execution/fields';
import { referenceField } from '../../execution/lists/dossiers';
import type { Operation } from '../../execution/operation';
import { asChoice, asList } from '../../execution/parameters';
import type { Parameters } from '../../execution/parameters';
import { enterChanges, changeDossier, readChanges } from './changes';
import type { DossierChanges } from './changes';
import { findOrCreate } from './findOrCreate';
import { hidesText } from '../written';
import { createOrUpdateCollection, titleField } from './form';

const onlyIfNewField: INodeProperties = {
	displayName: 'Only If New',
	name: 'onlyIfNew',
	type: 'multiOptions',
	default: ['title'],
	options: [
		{ name: 'Additional Fields', value: 'fields' },
		{ name: 'Title', value: 'title' },
	],
	description:
		'What is set only if the dossier is created. An existing one keeps its own values. Without this option, the title and all fields are set either way.',
};

/** The changes for a new dossier, and for an existing one: without what is set only in a new one. */
function readBoth(parameters: Parameters): { forNew: DossierChanges; forExisting: DossierChanges } {
	const { name } = onlyIfNewField;
	const options = parameters.collection('options');
	const chosen = name in options ? asList(options[name], name) : [];
	const onlyIfNew = chosen.map((one) => asChoice(one, onlyIfNewField));
	const changes = readChanges(parameters);
	const title = { title: parameters.text('title') };
	const existing = onlyIfNew.includes('fields')
		? { fields: {}, addTags: [], removeTags: [] }
		: changes;
	return {
		forNew: { ...changes, fields: { ...title, ...changes.fields } },
		forExisting: {
			...existing,
			fields: { ...(!onlyIfNew.includes('title') && title), ...existing.fields },
		},
	};
}

export const createOrUpdate: Operation = {
	name: 'Create or Update',
	value: 'upsert',
	action: 'Create or update dossier by reference',
	description: 'Create a new record, or update the current one if it already exists (upsert)',
	output: 'Dossier',
	addedOutput: { created: 'boolean' },
	fields: [
		{
			...referenceField,
			required: true,
			hint: 'The dossier with this reference is updated. If there is none, it is created.',
		},
		{ ...titleField, required: true },
		createOrUpdateCollection,
		optionsField([onlyIfNewField]),
	],
	async run(run) {
		const { parameters, api, once, note } = run;
		const reference = parameters.text('reference').normalize('NFC');
		const { forNew, forExisting } = readBoth(parameters);
		const ids = once('dossiers by reference', () => new Map<string, string>());
		// Items with the same reference share one dossier.
		return await takeTurn(api, `items with ${reference}`, async () => {
			const change = async (id: string) => ({
				json: await changeDossier(run, id, forExisting),
				added: { created: false },
			});
			const known = ids.get(reference);
			if (known !== undefined) return await change(known);
			const { dossier, isNew } = await findOrCreate(api, referenceField.name, reference, forNew);
			const id = toText(dossier.id);
			if (id !== undefined) ids.set(reference, id);
			if (!isNew) return await change(id ?? '');
			if (hidesText({ reference, ...enterChanges(forNew) }, dossier)) note('unshown');
			return { json: dossier, added: { created: true } };
		});
	},
};
