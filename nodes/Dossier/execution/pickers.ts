import { NodeApiError } from 'n8n-workflow';
import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';
import { randomUUID } from 'crypto';
import { createApi } from '../api/client';
import type { Call } from '../api/client';
import { keyConnection } from '../api/connection';
import type { EndpointName } from '../api/endpoints';
import { ServiceError } from '../api/errors';
import { collect, readPage } from '../api/pages';
import { isRecord, parseJson, textOf } from '../api/values';

/** How many entries a searchable list shows at a time. */
const LIST_SIZE = 50;

/** A person waits for a list: better an error now than an answer in a minute. */
const MANNER = { concurrency: 1, longestWait: 5_000, timeout: 15_000, newKey: randomUUID };

function shownError(context: ILoadOptionsFunctions, error: unknown): NodeApiError {
	const description = error instanceof ServiceError ? error.hint : undefined;
	const message = error instanceof Error ? error.message : String(error);
	return new NodeApiError(context.getNode(), { message }, { message, description });
}

const dossierLabel = ({ reference, title }: IDataObject) =>
	[...new Set([textOf(reference), textOf(title)])].filter(Boolean).join(' – ');

/** One page of a list, as entries of a searchable list. `token` is the query of the page, from the page before. */
async function page(
	context: ILoadOptionsFunctions,
	name: EndpointName,
	{ id, query }: Call,
	token: string | undefined,
	labelOf: (record: IDataObject) => string,
): Promise<INodeListSearchResult> {
	const continued = parseJson(token ?? '');
	const asked = isRecord(continued) ? continued : { ...query, page: 1, per_page: LIST_SIZE };
	try {
		const api = createApi(await keyConnection(context), MANNER);
		const { records, next } = readPage(await api.answer(name, { id, query: asked }), asked);
		return {
			results: records.map((record) => {
				const value = textOf(record.id) ?? '';
				return { name: labelOf(record) || value, value };
			}),
			paginationToken: next && records.length ? JSON.stringify(next) : undefined,
		};
	} catch (error) {
		throw shownError(context, error);
	}
}

/** The dossiers that contain the words typed, those changed last first. */
export async function searchDossiers(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const query: IDataObject = { sort: 'updated_at', order: 'desc' };
	if (filter) query.q = filter;
	return await page(this, 'dossiers.list', { query }, paginationToken, dossierLabel);
}

/** The documents of the dossier chosen above the list. */
export async function searchDocuments(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const locator: unknown = this.getCurrentNodeParameter('dossierOfList');
	const id = isRecord(locator) ? textOf(locator.value) : undefined;
	if (!id) return { results: [] };
	const query: IDataObject = filter ? { q: filter } : {};
	return await page(
		this,
		'documents.list',
		{ id, query },
		paginationToken,
		({ file_name: name, category }) => [textOf(name), textOf(category)].filter(Boolean).join(' – '),
	);
}

/** The portal users that contain the words typed. */
export async function searchPortalUsers(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const query: IDataObject = filter ? { q: filter } : {};
	return await page(this, 'portal.users.list', { query }, paginationToken, (user) => {
		const name = [textOf(user.first_name), textOf(user.last_name)].filter(Boolean).join(' ');
		return [name, textOf(user.email) ?? textOf(user.phone)].filter(Boolean).join(' – ');
	});
}

/** The tasks that contain the words typed. */
export async function searchTasks(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const query: IDataObject = filter ? { q: filter } : {};
	return await page(this, 'tasks.list', { query }, paginationToken, ({ title, status }) =>
		[textOf(title), textOf(status)].filter(Boolean).join(' – '),
	);
}

/** How many dossiers a list for several choices shows; whoever has more gives IDs by an expression. */
const CHOICES = 500;

/** Dossiers to choose several of, those changed last first. */
export async function getDossiers(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	try {
		const api = createApi(await keyConnection(this), MANNER);
		const query = { sort: 'updated_at', order: 'desc' };
		const dossiers = await collect(api, 'dossiers.list', { query }, CHOICES);
		return dossiers.map((dossier) => {
			const value = textOf(dossier.id) ?? '';
			return { name: dossierLabel(dossier) || value, value };
		});
	} catch (error) {
		throw shownError(this, error);
	}
}
