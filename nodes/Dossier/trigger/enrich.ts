import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { BACKGROUND_POLICY, keyConnection } from '../api/connection';
import { createApi } from '../api/client';
import type { Api } from '../api/client';
import { receiveFile } from '../api/transfer/download';
import { safeFileName } from '../api/transfer/fileFacts';
import type { EndpointName } from '../api/endpoints';
import { collect } from '../api/pages/collect';
import { Problem } from '../problems/problem';
import { toText } from '../api/json';
import { isObject } from '../dialect/paths';
import { toNodeError } from '../execution/explain';
import { collectForms } from '../execution/labels';
import { createDirectory } from '../execution/people';
import { readParameters } from '../execution/parameters';
import { readIds } from './event';
import { explainError, triggerForm } from './form';

/** How many dossiers are read for an invitation to several. */
const MOST_DOSSIERS = 10;

/** Describes why a record or a file could not be read. The event is given out all the same. */
function describeFailure(error: unknown): IDataObject {
	const { message, hint, code, status } = explainError(error);
	return { message, hint, code, status };
}

/** Connects to the service when the first item needs it. */
type Connect = () => Promise<Api>;

async function downloadEventDocument(context: IExecuteFunctions, connect: Connect, id: string) {
	return await receiveFile(await connect(), 'documents.download', { id }, async (file) => {
		const name = safeFileName(file.fileName) ?? 'document';
		const type = file.mimeType ?? 'application/octet-stream';
		return await context.helpers.prepareBinaryData(file.content, name, type);
	});
}

/** Finds a record in its list, for kinds of record that the service gives out only in lists. */
async function findListed(api: Api, name: EndpointName, id: string, query: IDataObject = {}) {
	const isWanted = (record: IDataObject) => toText(record.id) === id;
	const [found] = await collect(api, name, { query }, 1, isWanted);
	if (!found) throw new Problem('NOT_LISTED', { id });
	return found;
}

/** The connection and the people that the events of a run share. */
interface Shared {
	connect: Connect;
	/** Finds the people whom a record names. */
	findPeople: (record: IDataObject) => Promise<IDataObject>;
}

/**
 * Reads the records that an event names, and the people whom it and they name. The errors of what cannot be read are under
 * `details_error`.
 */
async function readEventDetails(
	{ connect, findPeople }: Shared,
	event: unknown,
	data: IDataObject,
) {
	const details: IDataObject = {};
	const failures: IDataObject = {};
	async function add(
		name: string,
		[id]: string[],
		read: (api: Api, id: string) => Promise<IDataObject | IDataObject[]>,
	) {
		if (!id) return;
		try {
			details[name] = await read(await connect(), id);
		} catch (error) {
			failures[name] = describeFailure(error);
		}
	}
	const readDossier = async (api: Api, id: string) => await api.call('dossiers.get', { id });
	const one = readIds(data, 'dossier_id');
	const several = readIds(data, 'dossier_id', 'dossier_ids').slice(0, MOST_DOSSIERS);
	const documents = event === 'document.deleted' ? [] : readIds(data, 'document_id');
	const query = one.length ? { dossier_id: one[0] } : {};
	await add('dossier', one, readDossier);
	await add('dossiers', one.length ? [] : several, async (api) => {
		return await Promise.all(several.map(async (id) => await readDossier(api, id)));
	});
	await add('document', documents, async (api, id) => await api.call('documents.get', { id }));
	await add('task', readIds(data, 'task_id'), async (api, id) => {
		return await findListed(api, 'tasks.list', id, query);
	});
	await add('portal_user', readIds(data, 'portal_user_id'), async (api, id) => {
		return await findListed(api, 'portal.users.list', id);
	});
	try {
		const records = Object.values(details).flat().filter(isObject);
		await Promise.all(
			records.map(async (record) => Object.assign(record, await findPeople(record))),
		);
		Object.assign(details, await findPeople(data));
	} catch (error) {
		failures.people = describeFailure(error);
	}
	return { details, ...(Object.keys(failures).length && { details_error: failures }) };
}

async function enrichEvent(
	context: IExecuteFunctions,
	shared: Shared,
	item: INodeExecutionData,
	index: number,
): Promise<INodeExecutionData> {
	const { event } = item.json;
	const data = isObject(item.json.data) ? item.json.data : {};
	const form = readParameters(context, index);
	const [document] = readIds(data, 'document_id');
	const enriched: INodeExecutionData = { ...item, json: { ...item.json } };
	if (form.flag('download') && event === 'document.uploaded' && document !== undefined) {
		try {
			const field = form.text('binaryPropertyName');
			const file = await downloadEventDocument(context, shared.connect, document);
			enriched.binary = { ...item.binary, [field]: file };
		} catch (error) {
			enriched.json.download_error = describeFailure(error);
		}
	}
	if (form.flag('options.addDetails')) {
		Object.assign(enriched.json, await readEventDetails(shared, event, data));
	}
	return enriched;
}

/**
 * Adds to the events of a run the files and records that they name. This is the first step of the run, so n8n has stored
 * the event before anything is read, a worker does the reading in queue mode, and n8n's limits and retries apply.
 */
export async function enrichEvents(
	context: IExecuteFunctions,
	items: INodeExecutionData[],
): Promise<INodeExecutionData[][]> {
	let shared: Promise<Api> | undefined;
	const open = async () => {
		const signal = context.getExecutionCancelSignal();
		return createApi(await keyConnection(context), { ...BACKGROUND_POLICY, signal });
	};
	const connect = async () => await (shared ??= open());
	let directory: ReturnType<typeof createDirectory> | undefined;
	const findPeople: Shared['findPeople'] = async (record) => {
		directory ??= createDirectory(await connect());
		return await directory(record);
	};
	const enriched: INodeExecutionData[] = [];
	for (const [index, item] of items.entries()) {
		enriched.push(await enrichEvent(context, { connect, findPeople }, item, index));
	}
	return [enriched];
}

/** The first step of a run that a delivery begins. Throws NodeApiError or NodeOperationError. */
export async function runDelivered(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	try {
		return await enrichEvents(context, context.getInputData());
	} catch (error) {
		throw toNodeError(context.getNode(), error, collectForms(triggerForm));
	}
}
