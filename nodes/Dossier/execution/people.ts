/** Name and email of the people whom records name by ID alone: the service has no list of its users. */
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { toText } from '../api/json';
import { shareMaking } from '../api/memory';
import { collect } from '../api/pages/collect';
import { createPageReader } from '../api/pages/pageReader';
import { writeListQuery } from '../api/pages/pages';
import type { ListApi } from '../api/pages/pages';
import { getPath } from '../dialect/paths';
import { readRefusal } from '../problems/problem';
import type { ItemRun, Output } from './operation';

export const peopleField: INodeProperties = {
	displayName: 'Add People',
	name: 'addPeople',
	type: 'boolean',
	default: true,
	description:
		'Whether to add the people whom the record names, e.g. assignee.name and assignee.email (also creator and uploader), as far as the audit log and the portal users show them. Once in a run, it takes a request for each person and up to two for the portal users.',
};

/** Where a record and an event name a person, and where the person is added. */
const ROLES = {
	assignee_id: 'assignee',
	created_by: 'creator',
	deleted_by: 'deleter',
	invited_by: 'inviter',
	uploaded_by: 'uploader',
};

/** How many portal users are read. */
const PORTAL_USERS = 200;

/** Nothing, if the key may not read a list, or the service does not have it. */
function forgiveRefusal(error: unknown): IDataObject[] {
	if ([403, 404].includes(readRefusal(error)?.status ?? 0)) return [];
	throw error;
}

/** The name of who did something, by the first page of the audit log about it. */
async function readActorName(api: ListApi, id: string): Promise<string | undefined> {
	const query = writeListQuery(api, 'audit.list', { actor_id: id }, api.pageSize);
	const reading = api.answer('audit.list', { query, isWritten: true });
	const entries = await reading.then(
		(answer) => createPageReader(api.translator, 'audit.list')(query, answer).records,
		forgiveRefusal,
	);
	const names = entries
		.filter((entry) => toText(getPath(entry, 'actor.id')) === id)
		.map((entry) => toText(getPath(entry, 'actor.name')));
	return names.find(Boolean);
}

/** Finds the people whom a record names, by what they are to it, e.g. `{assignee: {id, name, email}}`. Throws Problem. */
type FindPeople = (record: IDataObject) => Promise<IDataObject>;

/** Makes a function that finds people, each once. A field that the service shows of nobody is `null`. */
export function createDirectory(api: ListApi): FindPeople {
	const people = new Map<string, Promise<IDataObject>>();
	const lists = new Map<string, Promise<IDataObject[]>>();
	const listUsers = async () =>
		await collect(api, 'portal.users.list', {}, PORTAL_USERS).catch(forgiveRefusal);

	async function read(id: string): Promise<IDataObject> {
		const users = await shareMaking(lists, 'portal users', listUsers);
		const user = users.find((one) => toText(one.id) === id);
		const own = [toText(user?.first_name), toText(user?.last_name)].filter(Boolean).join(' ');
		const name = own || (await readActorName(api, id));
		return { id, name: name ?? null, email: toText(user?.email) ?? null };
	}

	return async (record) => {
		const named = Object.entries(ROLES).flatMap(([field, role]) => {
			const id = toText(record[field]);
			return id && !(role in record) ? [[role, id] as const] : [];
		});
		const found = named.map(
			async ([role, id]) =>
				[role, await shareMaking(people, id, async () => await read(id))] as const,
		);
		return Object.fromEntries(await Promise.all(found));
	};
}

/** Whether the form asks for the people whom records name. */
export const wantsPeople = ({ parameters }: Pick<ItemRun, 'parameters'>) =>
	parameters.flag(`options.${peopleField.name}`);

/** Makes the output of a record, with the people whom it names if the form asks for them. Throws Problem. */
export async function addPeople(
	run: Pick<ItemRun, 'parameters' | 'api' | 'once'>,
	record: Output['json'],
	shape: (record: Output['json']) => Output,
): Promise<Output> {
	const output = shape(record);
	if (!wantsPeople(run)) return output;
	const findPeople = run.once('people', () => createDirectory(run.api));
	return { ...output, added: { ...output.added, ...(await findPeople(record)) } };
}
