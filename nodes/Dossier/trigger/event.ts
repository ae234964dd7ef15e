import type { IDataObject } from 'n8n-workflow';
import { parseJson, toText } from '../api/values';
import { isObject } from '../dialect/paths';

/** An event as the service sent it. The envelope is given; further fields are kept. */
export interface EventEnvelope extends IDataObject {
	event: string;
}

/** Reads the event in a body; `undefined` if the body is not an event. */
export function readEvent(rawBody: Buffer): EventEnvelope | undefined {
	const body = parseJson(rawBody.toString('utf8'));
	if (!isObject(body) || typeof body.event !== 'string' || !body.event) return undefined;
	return { ...body, event: body.event };
}

const MOST_NAMES = 10;

/** Says what a body is that is not an event, for the log: its form alone, no content. */
export function describeBody(rawBody: Buffer, contentType = 'without a Content-Type'): string {
	const body = parseJson(rawBody.toString('utf8'));
	if (Array.isArray(body)) return 'it is a list, and one event for each delivery is expected';
	if (!isObject(body)) return `it is not a JSON object but ${contentType}`;
	const names = Object.keys(body).slice(0, MOST_NAMES).join(', ');
	return `it has no text 'event', but ${names || 'nothing'}`;
}

/** Which events a workflow runs for. An empty list of dossiers or categories lets every event pass. */
export interface Filter {
	/** Chosen from the list. */
	events: string[];
	/** Typed by hand. */
	otherEvents: string[];
	dossiers: string[];
	categories: string[];
	runOnTest: boolean;
}

/** The choice of every event. */
export const ANY_EVENT = '*';

const TEST_EVENT = /^(ping|test|webhook[._](ping|test)|test[._].*)$/i;

/** The identifiers in a field, and in a list, of an event's data. */
export function readIds(data: IDataObject, one: string, several?: string): string[] {
	const list: unknown = several === undefined ? [] : data[several];
	const members: unknown[] = Array.isArray(list) ? list : [];
	return [data[one], ...members].map(toText).filter((id) => id !== undefined);
}

/** Why an event does not run the workflow; `undefined` if it does. An event without a dossier passes no filter on dossiers. */
export function filterEvent(envelope: EventEnvelope, filter: Filter): string | undefined {
	const { event } = envelope;
	const named = [...filter.events, ...filter.otherEvents];
	// An event that was typed by hand is wanted, even if its name looks like that of a test.
	if (TEST_EVENT.test(event) && !named.includes(event)) {
		return filter.runOnTest ? undefined : 'test event';
	}
	const data = isObject(envelope.data) ? envelope.data : {};
	const { dossiers, categories } = filter;
	const isNamed = named.includes(ANY_EVENT) || named.includes(event);
	const ids = readIds(data, 'dossier_id', 'dossier_ids');
	const isInDossier = !dossiers.length || ids.some((id) => dossiers.includes(id));
	const hasCategory = !categories.length || categories.includes(toText(data.category) ?? '');
	return isNamed && isInDossier && hasCategory ? undefined : 'not wanted';
}
