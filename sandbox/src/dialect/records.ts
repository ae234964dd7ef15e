import type { Json, JsonObject } from '../platform/json.ts';
import type { Dialect, RecordKind } from './dialect.ts';
import { fillKind } from './fields.ts';
import { takePath, writePath } from './paths.ts';
import { Words } from './words.ts';

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

/** A record in its envelope. */
export function writeEnvelope(record: JsonObject, kind: RecordKind, dialect: Dialect): JsonObject {
	const { envelope } = dialect.record ?? {};
	if (envelope === undefined) return record;
	const json: JsonObject = {};
	writePath(json, fillKind(envelope, kind, dialect), record);
	return json;
}

/** The data of an event in the service's words. */
export function writePayload(event: string, data: JsonObject, dialect: Dialect): JsonObject {
	// The data of this event is given.
	if (event === 'document.uploaded') return data;
	const values = {
		...(dialect.dossier?.values?.status && { status: dialect.dossier.values.status }),
		...(dialect.document?.values?.category && { category: dialect.document.values.category }),
	};
	const fields = dialect.payloads?.[event]?.fields ?? {};
	return new Words({ ...dialect, dossier: { fields, values } }, 'dossier').writeRecord(data);
}
