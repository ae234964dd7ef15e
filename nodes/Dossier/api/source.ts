/** Records as they came, and how they go back: what is not changed goes byte for byte. */
import type { IDataObject } from 'n8n-workflow';
import { canonical, listLeaves } from '../dialect/canonical';
import type { RecordKind } from '../dialect/canonical';
import { nameField, findServiceName } from '../dialect/names';
import { getPath } from '../dialect/paths';
import { toSent, walk } from '../dialect/structure';
import type { ServiceRecord } from '../dialect/structure';
import type { Translator } from '../dialect/translate';
import { Problem } from '../problems/problem';
import type { EndpointName } from './endpoints';
import { findSteps, getText, mergeText, removeText, setText } from './jsonText';
import type { Answer } from './send/answer';
import type { CallApi } from './send/requests';

/** A record, and the JSON object that the service sent for it. */
export interface Source {
	record: ServiceRecord;
	/** Absent if the answer shows no record, or if its bytes cannot be read without loss. */
	text?: string;
}

/** The record of an answer, with its text. Throws Problem if the answer is none. */
export function openSource(api: CallApi, name: EndpointName, answer: Answer): Source {
	const record = api.readRecord(name, answer);
	const { isGarbled, text, body } = answer;
	const sent = toSent(record);
	const [, path] = [...walk(body, Infinity)].find(([value]) => value === sent) ?? [];
	const isReadable = path && text !== undefined && !isGarbled;
	return { record, text: isReadable ? getText(text, path) : undefined };
}

/**
 * Reads a record that is to be written back.
 *
 * @throws Problem, also if its bytes cannot be read without loss: what is not changed could not go back as it came
 */
export async function readSource(
	api: CallApi,
	name: 'dossiers.get' | 'documents.get',
	id: string | undefined,
): Promise<Source & { text: string }> {
	const { record, text } = openSource(api, name, await api.answer(name, { id }));
	if (text === undefined) throw new Problem('RECORD_GARBLED', { id: id ?? '' });
	return { record, text };
}

/** The text at a path with dots. */
export const readAt = (text: string, path: string) => getText(text, findSteps(text, path));

/** The fields that no request sends back, by their paths at the service. */
function listReadOnly({ dialect }: Translator, kind: RecordKind): string[] {
	const named = canonical[kind].readOnly.flatMap(
		(field) => findServiceName(dialect, kind, field) ?? [],
	);
	const own = (dialect[kind]?.readOnly ?? []).map((field) =>
		canonical[kind].fields.includes(field) ? nameField(dialect, kind, field) : field,
	);
	return [...named, ...own];
}

/**
 * The JSON of a request that changes a record: all that the service sent but what it sets itself, with the changes.
 *
 * @param changes under this package's names
 */
export function writeSource(
	translator: Translator,
	kind: RecordKind,
	{ record, text = '{}' }: Source,
	changes: IDataObject,
): string {
	const { dialect } = translator;
	const { sentAs = {}, days = [] } = dialect[kind] ?? {};
	let fields = text;
	for (const path of listReadOnly(translator, kind))
		fields = removeText(fields, findSteps(fields, path));
	for (const field of listLeaves(kind)) {
		const [path, sentPath] = [nameField(dialect, kind, field), sentAs[field]];
		const held = sentPath === undefined ? undefined : readAt(fields, path);
		if (sentPath === undefined || held === undefined) continue;
		fields = removeText(fields, findSteps(fields, path));
		fields = setText(fields, sentPath.split('.'), held);
	}
	// A day that a service gives as a time is written anew.
	const written = translator.writeBody(
		kind,
		Object.fromEntries(days.map((field) => [field, getPath(record, field)])),
	);
	return mergeText(mergeText(fields, written), translator.writeBody(kind, changes));
}
