import type { Json, JsonObject } from '../platform/json.mts';
import { isObject, toText } from '../platform/json.mts';
import { isIdName } from '../platform/ids.mts';
import type { Switches } from '../contract/switches.mts';
import { Part } from '../platform/part.mts';

const own = /^[a-z]{2,3}_[0-9a-f]{24}$/;
const slashes = /^([a-z]{2,3})\/([0-9a-f]{12})\/\.\.\/([0-9a-f]{12})$/;

/** Translates between the service's own identifiers and those that callers see. */
export class PublicIds extends Part<{ switches: Switches }> {
	/** A body with its identifiers as callers see them. Custom fields stay as they are. */
	translateOut(body: Json): Json {
		if (this.parts.switches.ids === 'prefixed') return body;
		return mapIds(body, false, (id) => (own.test(toText(id)) ? writeSlashes(toText(id)) : id));
	}

	/** The service's own identifier for one that a caller sent. An unknown one stays as it is. */
	resolve(given: string): string {
		if (this.parts.switches.ids === 'prefixed') return given;
		const [, kind, ...hex] = slashes.exec(given) ?? [];
		return kind ? `${kind}_${hex.join('')}` : given;
	}

	/** A caller's body with the service's own identifiers. */
	translateIn(body: JsonObject): JsonObject {
		if (this.parts.switches.ids === 'prefixed') return body;
		const result = mapIds(body, false, (id) => (typeof id === 'string' ? this.resolve(id) : id));
		return isObject(result) ? result : body;
	}
}

function writeSlashes(id: string): string {
	const [kind = '', hex = ''] = id.split('_');
	return `${kind}/${hex.slice(0, 12)}/../${hex.slice(12)}`;
}

function mapIds(value: Json, isId: boolean, write: (id: Json) => Json): Json {
	if (Array.isArray(value)) return value.map((one) => mapIds(one, isId, write));
	if (!isObject(value)) return isId ? write(value) : value;
	const entries = Object.entries(value).map(([name, one]): [string, Json | undefined] => {
		if (one === undefined || name === 'custom_fields') return [name, one];
		// The audit log tells a change as {assignee_id: {from, to}}.
		return [name, mapIds(one, isIdName(name) || (isId && !('id' in value)), write)];
	});
	return Object.fromEntries(entries);
}
