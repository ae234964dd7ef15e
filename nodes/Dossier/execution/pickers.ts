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
import { Problem } from '../problems/problem';
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

const describeDossier = ({ reference, title }: IDataObject) =>
	[...new Set([toText(reference), toText(title)])].filter(Boolean).join(' – ');

/** How many pages a search reads of a service that ignores the words, until one holds a match. */
const PAGES_SEARCHED = 10;

/** The records that contain the words typed. */
function findMatching(records: IDataObject[], typed = ''): IDataObject[] {
	const words = typed.toLowerCase().split(/\s+/);
	return records.filter((record) => {
		const text = JSON.stringify(record).toLowerCase();
		return words.every((word) => text.includes(word));
	});
}

/**
 * One page of a list as entries of a searchable list, from the first page on that holds a match. If none does, all records
 * of the first page: the service may search fields that it does not list.
 *
 * @param token the query that the page before gave for this one
 */
async function page(
	context: ILoadOptionsFunctions,
	name: EndpointName,
	query: IDataObject,
	token: string | undefined,
	describe: (record: IDataObject) => string,
	findOwner?: (api: Api) => Promise<string>,
): Promise<INodeListSearchResult> {
	const continued = parseJson(token ?? '');
	return await withApi(context, async (api) => {
		const readPage = createPageReader(api.translator, name);
		const id = await findOwner?.(api);
		const read = async (asked: IDataObject) => {
			const answer = await api.answer(name, { id, query: asked, isWritten: true });
			const { records, next } = readPage(asked, answer);
			return { records, matching: findMatching(records, toText(query.q)), next };
		};
		const first = await read(
			isObject(continued)
				? continued
				: writeListQuery(api, name, query, Math.min(LIST_SIZE, api.pageSize)),
		);
		let found = first;
		for (let pages = 1; pages < PAGES_SEARCHED && !found.matching.length; pages++) {
			if (!found.next || !found.records.length) break;
			found = await read(found.next);
		}
		const { next, records } = found.matching.length ? found : first;
		return {
			results: (found.matching.length ? found.matching : records).map((record) => {
				const value = toText(record.id) ?? '';
				return { name: describe(record) || value, value };
			}),
			paginationToken: next && records.length ? JSON.stringify(next) : undefined,
		};
	});
}

/** The dossiers that contain the words typed, the most recently changed first. */
export async function searchDossiers(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const query: IDataObject = { sort: 'updated_at', order: 'desc' };
	if (filter) query.q = filter;
	return await page(this, 'dossiers.list', query, paginationToken, describeDossier);
}

/** The documents of the dossier chosen above the list. */
export async function searchDocuments(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const chosen: unknown = this.getCurrentNodeParameter(DOSSIER_OF_LIST);
	const query: IDataObject = filter ? { q: filter } : {};
	return await page(
		this,
		'documents.list',
		query,
		paginationToken,
		({ file_name: name, category }) => [toText(name), toText(category)].filter(Boolean).join(' – '),
		async (api) => {
			const id = await findDossierOfList(api, chosen);
			if (id === undefined) throw new Problem('DOSSIER_NOT_CHOSEN', { field: DOSSIER_OF_LIST });
			return id;
		},
	);
}

/** The portal users that contain the words typed. */
export async function searchPortalUsers(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const query: IDataObject = filter ? { q: filter } : {};
	return await page(this, 'portal.users.list', query, paginationToken, (user) => {
		const name = [toText(user.first_name), toText(user.last_name)].filter(Boolean).join(' ');
		return [name, toText(user.email) ?? toText(user.phone)].filter(Boolean).join(' – ');
	});
}

/** The tasks that contain the words typed. */
export async function searchTasks(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const query: IDataObject = filter ? { q: filter } : {};
	return await page(this, 'tasks.list', query, paginationToken, ({ title, status }) =>
		[toText(title), toText(status)].filter(Boolean).join(' – '),
	);
}

/** How many dossiers a list shows in which several can be chosen. */
const CHOICES = 500;

const LIST_ENDS_HERE =
	'There are more dossiers than this list shows. Give the IDs of the others with an expression.';

/** The dossiers of a list in which several can be chosen, the most recently changed first. */
export async function getDossiers(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return await withApi(this, async (api) => {
		const query = { sort: 'updated_at', order: 'desc' };
		const dossiers = await collect(api, 'dossiers.list', { query }, CHOICES + 1);
		return dossiers.slice(0, CHOICES).map((dossier, index) => {
			const value = toText(dossier.id) ?? '';
			const name = describeDossier(dossier) || value;
			const isLast = index === CHOICES - 1 && dossiers.length > CHOICES;
			return isLast ? { name, value, description: LIST_ENDS_HERE } : { name, value };
		});
	});
}
