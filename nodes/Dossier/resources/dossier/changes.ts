import type { IDataObject } from 'n8n-workflow';
import type { Api } from '../../api/client';
import { contract } from '../../dialect/contract';
import { isRecord, toText } from '../../api/values';

/** Merges changes into a record; objects that both have are merged too, so that no field is lost. */
function merge(record: IDataObject, changes: IDataObject): IDataObject {
	const merged = { ...record };
	for (const [name, value] of Object.entries(changes)) {
		const before = record[name];
		merged[name] = isRecord(value) && isRecord(before) ? merge(before, value) : value;
	}
	return merged;
}

/**
 * Changes some fields of a dossier that was just read. All its fields are written back, because PUT may replace the
 * record. Nothing is sent if nothing changes.
 */
export async function changeDossier(
	api: Api,
	dossier: IDataObject,
	changes: IDataObject,
): Promise<IDataObject> {
	const readOnly: readonly string[] = contract.dossierReadOnlyFields;
	const writable = Object.fromEntries(
		Object.entries(dossier).filter(([name]) => !readOnly.includes(name)),
	);
	const body = merge(writable, changes);
	if (JSON.stringify(body) === JSON.stringify(writable)) return dossier;
	return await api.call('dossiers.update', { id: toText(dossier.id), body });
}
