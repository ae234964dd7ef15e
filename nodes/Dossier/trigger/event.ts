import type { IDataObject } from 'n8n-workflow';
import { isRecord, parseJson, toText } from '../api/values';

/** An event as the service sent it. The envelope is given; whatever else it holds is kept. */
export interface EventEnvelope extends IDataObject {
	event: string;
}

const BYTE_ORDER_MARK = '\uFEFF';

/** A JSON string, or a number. In valid JSON, nothing else holds digits. */
const STRING_OR_NUMBER = /"(?:[^"\\]+|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Puts integers that a double cannot hold into quotes, so that an ID is given out digit by digit. */
function quoteLongIntegers(json: string): string {
	if (!/\d{16}/.test(json)) return json;
	return json.replace(STRING_OR_NUMBER, (token) =>
		/^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
	);
}

/** Reads an event from a body; `undefined` if the body is not one. */
export function readEvent(rawBody: Buffer): EventEnvelope | undefined {
	const text = rawBody.toString('utf8');
	const json = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
	// Checked first: the search for long integers relies on valid JSON.
	if (!isRecord(parseJson(json))) return undefined;
	const body = parseJson(quoteLongIntegers(json));
	if (!isRecord(body) || typeof body.event !== 'string' || !body.event) return undefined;
	return { ...body, event: body.event };
}

/** What a workflow runs for. An empty list of dossiers or categories lets every event pass. */
export interface Filter {
	/** Chosen from the list. */
	events: string[];
	/** Typed by hand. */
	otherEvents: string[];
	dossiers: string[];
	categories: string[];
	runOnTest: boolean;
}

/** Stands for every event. */
export const ANY_EVENT = '*';

const TEST_EVENT = /^(ping|test|webhook[._](ping|test)|test[._].*)$/i;

/** The identifiers of an event: a field as text, and the members of a list. */
export function readIds(data: IDataObject, one: string, several?: string): string[] {
	const list: unknown = several === undefined ? [] : data[several];
	const members: unknown[] = Array.isArray(list) ? list : [];
	return [data[one], ...members].map(toText).filter((id) => id !== undefined);
}

/** Why an event does not run the workflow; `undefined` if it does. An event without a dossier does not pass a filter on it. */
export function filterEvent(envelope: EventEnvelope, filter: Filter): string | undefined {
	const { event } = envelope;
	const named = [...filter.events, ...filter.otherEvents];
	// An event that was typed by hand is wanted, even if its name looks like that of a test.
	if (TEST_EVENT.test(event) && !named.includes(event)) {
		return filter.runOnTest ? undefined : 'test event';
	}
	const data = isRecord(envelope.data) ? envelope.data : {};
	const { dossiers, categories } = filter;
	const isNamed = named.includes(ANY_EVENT) || named.includes(event);
	const ids = readIds(data, 'dossier_id', 'dossier_ids');
	const isInDossier = !dossiers.length || ids.some((id) => dossiers.includes(id));
	const hasCategory = !categories.length || categories.includes(toText(data.category) ?? '');
	return isNamed && isInDossier && hasCategory ? undefined : 'not wanted';
}
