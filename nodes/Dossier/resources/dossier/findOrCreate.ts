import type { IDataObject } from 'n8n-workflow';
import type { Api } from '../../api/client';
import { toText } from '../../api/json';
import { Memory, takeTurn } from '../../api/memory';
import { contract } from '../../dialect/contract';
import { findNamed } from '../../execution/lookups';
import { GONE, hasStatus, Problem, readRefusal } from '../../problems/problem';
import { enterChanges } from './changes';
import type { DossierChanges } from './changes';

/** The dossiers that this process has created, by account and reference: a service may list them only later. */
const created = new Memory<string | undefined>(10_000);

const isTaken = (error: unknown) => readRefusal(error)?.code === contract.duplicateReference;

/**
 * Finds the dossier with a reference, or creates it.
 *
 * @param field the field of the form with the reference
 * @param isMissing whether the caller has just looked for it in vain, which saves a request. If this process has created it
 * since, it is found; if another one has, the service refuses the second one.
 * @throws Problem, also if several dossiers have the reference
 */
export async function findOrCreate(
	api: Api,
	field: string,
	reference: string,
	changes: DossierChanges,
	isMissing = false,
): Promise<{ dossier: IDataObject; isNew: boolean }> {
	const body = { reference, ...enterChanges(changes) };
	api.translator.refuseUnsent('dossier', body);
	const work = async () => await findOrCreateNow(api, field, body, isMissing);
	return await takeTurn(api, `reference ${reference}`, work);
}

async function findOrCreateNow(
	api: Api,
	field: string,
	body: IDataObject & { reference: string },
	isMissing: boolean,
): Promise<{ dossier: IDataObject; isNew: boolean }> {
	const { reference } = body;
	const name = `${api.account} ${reference}`;
	const find = async () => await findNamed(api, 'reference', reference, field);
	const isKnown = !isMissing || created.has(name);
	const found =
		isKnown && ((await find()) ?? (await readUnlistedDossier(api, created.get(name), reference)));
	if (found) return { dossier: found, isNew: false };
	const creating = api
		.call('dossiers.create', { body })
		.then((dossier) => ({ dossier, isNew: true }));
	const { dossier, isNew } = await creating.catch(async (error: unknown) => {
		// Another execution may have created it between the search and now.
		const other = isTaken(error) ? await find() : undefined;
		if (!other) throw error;
		return { dossier: other, isNew: false };
	});
	const id = toText(dossier.id);
	if (isNew && !(await isFound(api, dossier, reference, find))) {
		throw new Problem('REFERENCE_NOT_KEPT', { id, reference });
	}
	if (isNew) created.set(name, id);
	return { dossier, isNew };
}

const hasReference = (dossier: IDataObject, reference: string) =>
	toText(dossier.reference) === reference;

/** Reads a dossier that no list shows yet; nothing if it is gone, or has another reference by now. */
async function readUnlistedDossier(
	api: Api,
	id: string | undefined,
	reference: string,
): Promise<IDataObject | undefined> {
	if (id === undefined) return undefined;
	const dossier = await api.call('dossiers.get', { id }).catch((error: unknown) => {
		if (!hasStatus(error, ...GONE)) throw error;
		return {};
	});
	return hasReference(dossier, reference) ? dossier : undefined;
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
	const isShown = hasReference(dossier, reference);
	return isShown || hasReference(await api.call('dossiers.get', { id }), reference);
}
