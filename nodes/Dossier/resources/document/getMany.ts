/** Document: Get Many, of one dossier or of all. */
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { toText, toWhole } from '../../api/json';
import { sortedCollection } from '../../execution/fields';
import { collectMatching } from '../../execution/lists/collect';
import type { WantedRecords } from '../../execution/lists/collect';
import { documentList } from '../../execution/lists/documents';
import { dossierList } from '../../execution/lists/dossiers';
import { listEmptyFilters, readConditions } from '../../execution/lists/filter';
import { dossierLocator } from '../../execution/locators';
import type { ItemRun, Operation } from '../../execution/operation';
import { GONE, hasStatus } from '../../problems/problem';
import { getMany } from '../many';

const placeField: INodeProperties = {
	displayName: 'Search In',
	name: 'searchIn',
	type: 'options',
	default: 'one',
	builderHint: {
		propertyHint: 'All lists each dossier in turn, so narrow it by dossierFilters if you can.',
	},
	options: [
		{
			name: 'All Dossiers',
			value: 'all',
			description: 'Takes one request or more for each dossier that has documents',
		},
		{
			name: 'One Dossier',
			value: 'one',
			description: 'The documents of a dossier that you choose',
		},
	],
	description: 'The dossiers whose documents to return',
};

const dossierFilters = sortedCollection(
	'Dossier Filters',
	'dossierFilters',
	'Which dossiers to look in. All conditions must be met.',
	dossierList.filters.flatMap(({ field, own }) => (own ? [field, own] : [field])),
);

/** The field, shown only for one choice of where to search. */
const shownIn = (place: 'one' | 'all', field: INodeProperties): INodeProperties => ({
	...field,
	displayOptions: { show: { [placeField.name]: [place] } },
});

/** The documents of a dossier; none if somebody has deleted it meanwhile. */
async function readDossier({ api }: ItemRun, wanted: WantedRecords, id: string) {
	const documents = await collectMatching(api, { ...wanted, id }).catch((error: unknown) => {
		if (hasStatus(error, ...GONE)) return [];
		throw error;
	});
	return documents.map((document): IDataObject => ({ dossier_id: id, ...document }));
}

/**
 * The documents of all dossiers that pass their own filters, in the order of the dossiers. The service lists documents by
 * dossier alone, so each dossier takes a request; one that shows that it has no documents takes none.
 */
async function readAll(run: ItemRun, wanted: WantedRecords): Promise<IDataObject[]> {
	const { parameters, api, note } = run;
	const { endpoint, filters } = dossierList;
	const given = parameters.collection(dossierFilters.name);
	const conditions = readConditions(filters, given, parameters.timezone());
	for (const label of listEmptyFilters(filters, given)) note(`empty filter: ${label}`);
	const dossiers = (await collectMatching(api, { endpoint, conditions })).filter(
		({ document_count: count }) => toWhole(count) !== 0,
	);
	const { limit = Infinity, onCut } = wanted;
	const ids = dossiers.map(({ id }) => toText(id) ?? '');
	const found: IDataObject[][] = [];
	const ignored: WantedRecords['ignored'] = new Map();
	let [next, total] = [0, 0];
	// The dossiers that were read are the first ones, whatever the order of the answers.
	async function readSome(): Promise<void> {
		while (next < ids.length && total < limit) {
			const at = next++;
			found[at] = await readDossier(run, { ...wanted, ignored }, ids[at] ?? '');
			note('dossier read');
			total += found[at].length;
		}
	}
	await Promise.all(Array.from({ length: Math.min(api.concurrency, ids.length) }, readSome));
	if (total > limit || (total === limit && next < ids.length)) onCut?.();
	return found.flat().slice(0, limit);
}

const listed = getMany({
	action: 'Get many documents',
	description: 'List the documents of a dossier or of all',
	list: documentList,
	before: [placeField, shownIn('one', dossierLocator), shownIn('all', dossierFilters)],
	read: async (run, wanted) => {
		const { parameters, api } = run;
		if (parameters.choice(placeField) === 'all') return await readAll(run, wanted);
		return await collectMatching(api, { ...wanted, id: parameters.id('dossierId') });
	},
	output: 'Document',
});

export const getManyDocuments: Operation = {
	...listed,
	// Nothing sorts the lists of several dossiers.
	fields: listed.fields.map((field) => (field.name === 'sort' ? shownIn('one', field) : field)),
};
