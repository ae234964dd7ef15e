import type { IDataObject } from 'n8n-workflow';
import type { Api } from '../../api/client';
import { toText } from '../../api/json';
import { contract } from '../../dialect/contract';
import { findBy } from '../../execution/lookups';
import { Problem, readRefusal } from '../../problems/problem';
import { applyChanges } from './changes';
import type { DossierChanges } from './changes';

async function findByReference(api: Api, reference: string): Promise<IDataObject | undefined> {
	const [found] = await findBy(api, 'reference', reference, 1);
	return found;
}

const isTaken = (error: unknown) => readRefusal(error)?.code === contract.duplicateReference;

/** Finds the dossier with a reference, or creates it. */
export async function findOrCreate(
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
