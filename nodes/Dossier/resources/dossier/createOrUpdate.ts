import type { IDataObject } from 'n8n-workflow';
import type { Api } from '../../api/client';
import { contract } from '../../dialect/contract';
import { Problem, readRefusal } from '../../api/problem';
import { toText } from '../../api/values';
import { findBy } from '../../execution/lookups';
import type { Operation } from '../../execution/operation';
import { applyChanges, changeDossier, readChanges } from './changes';
import type { DossierChanges } from './changes';
import { hidesText } from '../kept';
import { createOrUpdateCollection, referenceField, titleField } from './form';

async function findByReference(api: Api, reference: string): Promise<IDataObject | undefined> {
	const [found] = await findBy(api, 'reference', reference, 1);
	return found;
}

const isTaken = (error: unknown) => readRefusal(error)?.code === contract.duplicateReference;

/** Finds the dossier with a reference, or creates it. */
async function findOrCreate(
	api: Api,
	reference: string,
	changes: DossierChanges,
): Promise<{ dossier: IDataObject; isNew: boolean }> {
	const found = await findByReference(api, reference);
	if (found) return { dossier: found, isNew: false };
	const body = { reference, ...applyChanges({}, changes) };
	const created = api
		.call('dossiers.create', { body })
		.then((dossier) => ({ dossier, isNew: true }));
	const { dossier, isNew } = await created.catch(async (error: unknown) => {
		// Another execution may have created it between the search and now.
		const other = isTaken(error) ? await findByReference(api, reference) : undefined;
		if (!other) throw error;
		return { dossier: other, isNew: false };
	});
	if (isNew) await requireReference(api, dossier, reference);
	return { dossier, isNew };
}

/**
 * Makes sure that a new dossier can be found again.
 *
 * @throws Problem if the service shows it without its reference, or with another one
 */
async function requireReference(api: Api, dossier: IDataObject, reference: string): Promise<void> {
	const id = toText(dossier.id);
	if (id !== undefined) {
		if (toText(dossier.reference) === reference) return;
		const whole = await api.call('dossiers.get', { id });
		if (toText(whole.reference) === reference) return;
	} else if (await findByReference(api, reference)) return;
	throw new Problem('REFERENCE_NOT_KEPT', { id, reference });
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
	],
	async run(run) {
		const { parameters, api, inTurn, once, note } = run;
		const reference = parameters.text('reference');
		const changes = readChanges(parameters);
		changes.fields = { title: parameters.text('title'), ...changes.fields };
		const ids = once('dossiers by reference', () => new Map<string, string>());
		// Items with the same reference share one dossier.
		return await inTurn(`reference ${reference}`, async () => {
			const change = async (id: string) => ({
				json: { ...(await changeDossier(run, id, changes)), created: false },
			});
			const known = ids.get(reference);
			if (known !== undefined) return await change(known);
			const { dossier, isNew } = await findOrCreate(api, reference, changes);
			const id = toText(dossier.id);
			if (id !== undefined) ids.set(reference, id);
			if (!isNew) return await change(id ?? '');
			if (hidesText(applyChanges({ reference }, changes), dossier)) note('unshown');
			return { json: { ...dossier, created: true } };
		});
	},
};
