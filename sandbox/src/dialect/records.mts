import type { Json, JsonObject } from '../platform/json.mts';
import type { Dialect, RecordKind } from './dialect.mts';
import { fillKind } from './fields.mts';
import { takePath, writePath } from './paths.mts';
import { Words } from './words.mts';

/** A record in the dialect, without its envelope. An answer without a `kind` is not a record, and is returned unchanged. */
export function writeRecord(
	record: JsonObject,
	kind: RecordKind | undefined,
	dialect: Dialect,
): JsonObject {
	if (!kind) return record;
	const words = new Words(dialect, kind);
	const written = words.writeRecord(record);
	const { attributes, typeIn } = dialect.record ?? {};
	if (attributes === undefined) return written;
	const resource: JsonObject = {};
	// As in JSON:API: what identifies a record stands beside its attributes.
	if (typeIn !== undefined) {
		resource[typeIn.split('.').at(-1) ?? ''] = fillKind('{kinds}', kind, dialect);
	}
	const id: Json = takePath(written, words.findPath('id')) ?? null;
	writePath(resource, words.findPath('id'), id);
	writePath(resource, attributes, written);
	return resource;
}

/** An answer in its envelope. */
export function writeEnvelope(
	record: JsonObject,
	kind: RecordKind | undefined,
	dialect: Dialect,
): JsonObject {
	const path = findEnvelope(kind, dialect);
	if (path === undefined) return record;
	const json: JsonObject = {};
	writePath(json, path, record);
	return json;
}

/** The path of an answer in its envelope. One that is not a record has no name for an envelope that is named after its kind. */
export function findEnvelope(kind: RecordKind | undefined, dialect: Dialect): string | undefined {
	const { envelope } = dialect.record ?? {};
	if (kind && envelope !== undefined) return fillKind(envelope, kind, dialect);
	return envelope?.includes('{kind') ? undefined : envelope;
}

/** The data of an event in the service's words. */
export function writePayload(event: string, data: JsonObject, dialect: Dialect): JsonObject {
	// The names in this event are given, whatever the service calls them elsewhere.
	if (event === 'document.uploaded') return data;
	return new Words(wordPayload(event, dialect), 'dossier').writeRecord(data);
}

/** A dialect that names the data of an event like fields of a dossier. */
export function wordPayload(event: string, dialect: Dialect): Dialect {
	const values = {
		...(dialect.dossier?.values?.status && { status: dialect.dossier.values.status }),
		...(dialect.document?.values?.category && { category: dialect.document.values.category }),
	};
	const payloads = new Map(Object.entries(dialect.payloads ?? {}));
	const fields = payloads.get(event)?.fields ?? {};
	return { ...dialect, dossier: { fields, values } };
}

/** How a download is answered. */
export function findDownloadAnswer({
	download = {},
}: Dialect): 'bytes' | 'redirect' | 'content' | 'address' {
	const { answer, content, address } = download;
	if (answer !== undefined) return answer;
	if (content !== undefined) return 'content';
	return address === undefined ? 'bytes' : 'address';
}
