import type { IDataObject } from 'n8n-workflow';
import type { Api } from '../../api/client';
import { toText } from '../../api/json';
import { takeTurn } from '../../api/memory';
import { contract } from '../../dialect/contract';
import { findNamed } from '../../execution/lookups';
import { Problem, readRefusal } from '../../problems/problem';
import { applyChanges } from './changes';
import type { DossierChanges } from './changes';

const isTaken = (error: unknown) => readRefusal(error)?.code === contract.duplicateReference;

/**
 * Finds the dossier with a reference, or creates it.
 *
 * @param field the field of the form with the reference
 * @throws Problem, also if several dossiers have the reference
 */
export async function findOrCreate(
	api: Api,
	field: string,
	reference: string,
	changes: DossierChanges,
): Promise<{ dossier: IDataObject; isNew: boolean }> {
	const body = { reference, ...applyChanges({}, changes) };
	api.translator.refuseUnsent('dossier', body);
	const work = async () => await findOrCreateNow(api, field, body);
	return await takeTurn(api, `reference ${reference}`, work);
}

async function findOrCreateNow(
	api: Api,
	field: string,
	body: IDataObject & { reference: string },
): Promise<{ dossier: IDataObject; isNew: boolean }> {
	const { reference } = body;
	const find = async () => await findNamed(api, 'reference', reference, field);
	const found = await find();
	if (found) return { dossier: found, isNew: false };
	const created = api
		.call('dossiers.create', { body })
		.then((dossier) => ({ dossier, isNew: true }));
	const { dossier, isNew } = await created.catch(async (error: unknown) => {
		// Another execution may have created it between the search and now.
		const other = isTaken(error) ? await find() : undefined;
		if (!other) throw error;
		return { dossier: other, isNew: false };
	});
	if (isNew && !(await isFound(api, dossier, reference, find))) {
		throw new Problem('REFERENCE_NOT_KEPT', { id: toText(dossier.id), reference });
	}
	return { dossier, isNew };
}

/** Whether a new dossier can be found again: the service may show it without its reference, or with another one. */
async function isFound(
	api: Api,
	dossier: IDataObject,
	reference: string,
	find: () => Promise<IDataObject | undefined>,
): Promise<boolean> {
	const id = toText(dossier.id);
	if (id === undefined) return (await find()) !== undefined;
	const hasIt = (shown: IDataObject) => toText(shown.reference) === reference;
	return hasIt(dossier) || hasIt(await api.call('dossiers.get', { id }));
}
