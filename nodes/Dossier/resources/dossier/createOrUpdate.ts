import type { IDataObject } from 'n8n-workflow';
import type { Api } from '../../api/client';
import { contract } from '../../dialect/contract';
import { pages } from '../../api/pages';
import { readRefusal } from '../../api/problem';
import type { Operation } from '../../execution/operation';
import { changeDossier } from './changes';
import { createOrUpdateCollection, dossierBody, referenceField, titleField } from './form';

/** The dossier with exactly this reference. Answers are checked, because a service may ignore the filter. */
async function findByReference(api: Api, reference: string): Promise<IDataObject | undefined> {
	for await (const page of pages(api, 'dossiers.list', { query: { reference } })) {
		const found = page.records.find((dossier) => dossier.reference === reference);
		if (found) return found;
	}
	return undefined;
}

const isTaken = (error: unknown) => readRefusal(error)?.code === contract.duplicateReference;

async function put(api: Api, reference: string, fields: IDataObject): Promise<IDataObject> {
	const found = await findByReference(api, reference);
	if (found) return await changeDossier(api, found, fields);
	const body = { reference, ...fields };
	return await api.call('dossiers.create', { body }).catch(async (error: unknown) => {
		// Another execution may have created it between the search and now.
		const other = isTaken(error) ? await findByReference(api, reference) : undefined;
		if (!other) throw error;
		return await changeDossier(api, other, fields);
	});
}

export const createOrUpdate: Operation = {
	name: 'Create or Update',
	value: 'upsert',
	action: 'Create or update a dossier',
	description: 'Create a new record, or update the current one if it already exists (upsert)',
	output: 'Dossier',
	fields: [
		{
			...referenceField,
			required: true,
			hint: 'The dossier with this reference is updated. If there is none, it is created.',
		},
		{ ...titleField, required: true },
		createOrUpdateCollection,
	],
	async run({ parameters, api, once }) {
		const reference = parameters.text('reference');
		const fields = {
			title: parameters.text('title'),
			...parameters.body(dossierBody, 'fields'),
		};
		// By reference, so that items with the same one make one dossier.
		const dossiers = once('dossiers', () => new Map<string, Promise<IDataObject>>());
		const before = dossiers.get(reference);
		const dossier = before
			? before.then(
					async (one) => await changeDossier(api, one, fields),
					async () => await put(api, reference, fields),
				)
			: put(api, reference, fields);
		dossiers.set(reference, dossier);
		return { json: await dossier };
	},
};
