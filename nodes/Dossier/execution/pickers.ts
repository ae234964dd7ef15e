import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';
import { INTERACTIVE_POLICY, keyConnection } from '../api/connection';
import { createApi } from '../api/client';
import type { Api } from '../api/client';
import type { EndpointName } from '../api/endpoints';
import { collect } from '../api/pages/collect';
import { writeListQuery } from '../api/pages/pages';
import { createPageReader } from '../api/pages/pageReader';
import { hasStatus, Problem } from '../problems/problem';
import { parseJson, toText } from '../api/json';
import { isObject } from '../dialect/paths';
import { DOSSIER_OF_LIST, documentLocator } from './locators';
import { findDossierOfList } from './lookups';
import { toNodeError } from './explain';
import { collectForms } from './labels';

/** Reads what a list shows. Problems become errors of n8n. */
export async function withApi<T>(
	context: ILoadOptionsFunctions,
	read: (api: Api) => Promise<T>,
): Promise<T> {
	try {
		return await read(createApi(await keyConnection(context), INTERACTIVE_POLICY));
	} catch (error) {
		throw toNodeError(context.getNode(), error, collectForms(documentLocator));
	}
}

/** How many entries a searchable list shows at a time. */
const LIST_SIZE = 50;

const listDossierTexts = ({ reference, title }: IDataObject) => [toText(reference), toText(title)];

/** Different texts in one line. */
const joinTexts = (texts: Array<string | undefined>) =>
	[...new Set(texts)].filter(Boolean).join(' – ');

/** How many pages a search reads of a service that ignores the words, until one holds a match. */
const PAGES_SEARCHED = 10;

/** Gives a function that tells whether a text contains the words typed. */
export function matchWords(typed = ''): (text: string) => boolean {
	const words = typed.toLowerCase().split(/\s+/);
	return (text) => words.every((word) => text.toLowerCase().includes(word));
}

/** The most recently changed first. */
const LATEST = { sort: 'updated_at', order: 'desc' };

/** What a searchable list shows. */
interface Searched {
	endpoint: EndpointName;
	query?: IDataObject;
	/** The texts of an entry; one without any is shown by its ID. */
	describe: (record: IDataObject) => Array<string | undefined>;
	/** The record whose list it is. */
	findOwner?: (context: ILoadOptionsFunctions, api: Api) => Promise<string>;
}

/**
 * Makes a searchable list: page by page, from the first one on that holds a match. If none does, all records of the first
 * page: the service may search fields that it does not list.
 */
const searchList = ({ endpoint, query = {}, describe, findOwner }: Searched) =>
	async function (
		this: ILoadOptionsFunctions,
		typed?: string,
		/** The query that the page before gave for this one. */
		token?: string,
	): Promise<INodeListSearchResult> {
		const continued = parseJson(token ?? '');
		return await withApi(this, async (api) => {
			const readPage = createPageReader(api.translator, endpoint);
			const hasWords = matchWords(typed);
			const isMatching = (record: IDataObject) => hasWords(JSON.stringify(record));
			const id = await findOwner?.(this, api);
			const read = async (asked: IDataObject) => {
				const answer = await api.answer(endpoint, { id, query: asked, isWritten: true });
				const { records, next } = readPage(asked, answer);
				return { records, matching: records.filter(isMatching), next };
			};
			const size = Math.min(LIST_SIZE, api.pageSize);
			const begin = async (words: IDataObject) =>
				await read(writeListQuery(api, endpoint, { ...query, ...words }, size));
			const first = isObject(continued)
				? await read(continued)
				: await begin(typed ? { q: typed } : {}).catch(async (error: unknown) => {
						// Some services search for three letters or more.
						if (typed && hasStatus(error, 400, 422)) return await begin({});
						throw error;
					});
			let found = first;
			for (let pages = 1; pages < PAGES_SEARCHED && !found.matching.length; pages++) {
				if (!found.next || !found.records.length) break;
				found = await read(found.next);
			}
			const { next, records } = found.matching.length ? found : first;
			return {
				results: (found.matching.length ? found.matching : records).map((record) => {
					const value = toText(record.id) ?? '';
					return { name: joinTexts(describe(record)) || value, value };
				}),
				paginationToken: next && records.length ? JSON.stringify(next) : undefined,
			};
		});
	};

export const searchDossiers = searchList({
	endpoint: 'dossiers.list',
	query: LATEST,
	describe: listDossierTexts,
});

/** The documents of the dossier chosen above the list. */
export const searchDocuments = searchList({
	endpoint: 'documents.list',
	describe: ({ file_name: name, category }) => [toText(name), toText(category)],
	findOwner: async (context, api) => {
		const id = await findDossierOfList(api, context.getCurrentNodeParameter(DOSSIER_OF_LIST));
		if (id === undefined) throw new Problem('DOSSIER_NOT_CHOSEN', { field: DOSSIER_OF_LIST });
		return id;
	},
});

export const searchPortalUsers = searchList({
	endpoint: 'portal.users.list',
	describe: ({ first_name: first, last_name: last, email, phone }) => [
		[toText(first), toText(last)].filter(Boolean).join(' '),
		toText(email) ?? toText(phone),
	],
});

export const searchTasks = searchList({
	endpoint: 'tasks.list',
	describe: ({ title, status }) => [toText(title), toText(status)],
});

/** How many dossiers a list shows in which several can be chosen. */
const CHOICES = 500;

const LIST_ENDS_HERE =
	'There are more dossiers than this list shows. Give the IDs of the others with an expression.';

/** The dossiers of a list in which several can be chosen, the most recently changed first. */
export async function getDossiers(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return await withApi(this, async (api) => {
		const dossiers = await collect(api, 'dossiers.list', { query: LATEST }, CHOICES + 1);
		return dossiers.slice(0, CHOICES).map((dossier, index) => {
			const value = toText(dossier.id) ?? '';
			const name = joinTexts(listDossierTexts(dossier)) || value;
			const isLast = index === CHOICES - 1 && dossiers.length > CHOICES;
			return isLast ? { name, value, description: LIST_ENDS_HERE } : { name, value };
		});
	});
}
