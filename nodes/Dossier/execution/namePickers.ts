/** Searchable lists of what no endpoint lists: users and types of dossier, collected from the records that name them. */
import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import type { Api } from '../api/client';
import type { EndpointName } from '../api/endpoints';
import { toText } from '../api/json';
import { collect } from '../api/pages/collect';
import { isObject } from '../dialect/paths';
import { readRefusal } from '../problems/problem';
import { createDirectory } from './people';
import { matchWords, withApi } from './pickers';

/** How many records of a list are read at most. */
const MOST_READ = 200;

/** How many dossiers have their documents read. */
const DOSSIERS_READ = 3;

/** The first records of a list; none if the key may not read it, or the service does not have it. */
async function readSome(api: Api, name: EndpointName, id?: string): Promise<IDataObject[]> {
	return await collect(api, name, { id }, MOST_READ).catch((error: unknown) => {
		if ([403, 404].includes(readRefusal(error)?.status ?? 0)) return [];
		throw error;
	});
}

/** The entries that contain the words typed, in the order of their names. */
function toEntries(names: Map<string, string>, typed?: string): INodeListSearchResult {
	const hasWords = matchWords(typed);
	const results = [...names]
		.map(([value, name]) => ({ name, value }))
		.filter(({ name }) => hasWords(name))
		.sort((a, b) => a.name.localeCompare(b.name));
	return { results };
}

/** How many people whom the audit log does not name among its first entries are looked for, with a request each at most. */
const MOST_SOUGHT = 20;

/** Adds name and email of the people who have only an ID so far. */
async function nameUsers(api: Api, names: Map<string, string>): Promise<void> {
	const findPeople = createDirectory(api);
	const unnamed = [...names].filter(([id, name]) => id === name).slice(0, MOST_SOUGHT);
	const naming = unnamed.map(async ([id]) => {
		const { assignee } = await findPeople({ assignee_id: id });
		const { name, email } = isObject(assignee) ? assignee : {};
		names.set(id, [toText(name), toText(email), id].filter(Boolean).join(' – '));
	});
	await Promise.all(naming);
}

/** The users whom dossiers, tasks, documents and the audit log name, as *Add People* knows them. */
export async function searchUsers(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	return await withApi(this, async (api) => {
		const [entries, tasks, dossiers] = await Promise.all([
			readSome(api, 'audit.list'),
			readSome(api, 'tasks.list'),
			readSome(api, 'dossiers.list'),
		]);
		const ids = dossiers.slice(0, DOSSIERS_READ).map(({ id }) => toText(id));
		const documents = await Promise.all(
			ids.map(async (id) => (id ? await readSome(api, 'documents.list', id) : [])),
		);
		const names = new Map<string, string>();
		for (const record of [...dossiers, ...tasks, ...documents.flat()]) {
			const id = toText(record.assignee_id) ?? toText(record.uploaded_by);
			if (id) names.set(id, id);
		}
		for (const { actor } of entries) {
			const id = isObject(actor) && actor.type === 'user' && toText(actor.id);
			if (id) names.set(id, [toText(actor.name), id].filter(Boolean).join(' – '));
		}
		await nameUsers(api, names);
		return toEntries(names, filter);
	});
}

/** The types that existing dossiers have. */
export async function searchDossierTypes(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	return await withApi(this, async (api) => {
		const types = (await readSome(api, 'dossiers.list')).map(({ type }) => toText(type));
		return toEntries(new Map(types.flatMap((type) => (type ? [[type, type]] : []))), filter);
	});
}
