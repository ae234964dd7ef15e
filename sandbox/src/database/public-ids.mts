import type { Json, JsonObject } from '../platform/json.mts';
import { isObject, toText } from '../platform/json.mts';
import { integer, text } from './database.mts';
import type { Database } from './database.mts';
import { isIdName } from '../platform/ids.mts';
import type { Switches } from '../contract/switches.mts';
import { Part } from '../platform/part.mts';

const own = /^[a-z]{2,3}_[0-9a-f]{24}$/;
/** The index of a kind is part of its UUIDs: append new ones. */
const kinds = 'dos doc usr tsk aud inv whk ten bu org key evt dlv msg flt otp'.split(' ');
const uuid =
	/^([0-9a-f]{2})([0-9a-f]{6})-([0-9a-f]{4})-4([0-9a-f]{3})-8([0-9a-f]{3})-([0-9a-f]{8})0000$/;
const slashes = /^([a-z]{2,3})\/([0-9a-f]{12})\/\.\.\/([0-9a-f]{12})$/;

/** Translates between the service's own identifiers and those that callers see. */
export class PublicIds extends Part<{ database: Database; switches: Switches }> {
	/** A body with its identifiers as callers see them. Custom fields stay as they are. */
	translateOut(body: Json): Json {
		if (this.parts.switches.ids === 'prefixed') return body;
		return mapIds(body, false, (id) => (own.test(toText(id)) ? this.#write(toText(id)) : id));
	}

	/** The service's own identifier for one that a caller sent. An unknown one stays as it is. */
	resolve(given: string): string {
		const own = this.#read(given, this.parts.switches.ids);
		return own ?? given;
	}

	/** A caller's body with the service's own identifiers. */
	translateIn(body: JsonObject): JsonObject {
		if (this.parts.switches.ids === 'prefixed') return body;
		const result = mapIds(body, false, (id) =>
			typeof id === 'string' || typeof id === 'number' ? this.resolve(String(id)) : id,
		);
		return isObject(result) ? result : body;
	}

	#write(id: string): string | number {
		const [kind = '', hex = ''] = id.split('_');
		switch (this.parts.switches.ids) {
			case 'slashes':
				return `${kind}/${hex.slice(0, 12)}/../${hex.slice(12)}`;
			case 'uuid': {
				const place = kinds.indexOf(kind);
				if (place === -1) return id;
				const group = [hex.slice(6, 10), `4${hex.slice(10, 13)}`, `8${hex.slice(13, 16)}`];
				const first = place.toString(16).padStart(2, '0') + hex.slice(0, 6);
				return [first, ...group, `${hex.slice(16)}0000`].join('-');
			}
			case 'integer': {
				this.parts.database.run('INSERT OR IGNORE INTO numbered_ids (id) VALUES (?)', [id]);
				return integer(this.parts.database.get('SELECT n FROM numbered_ids WHERE id = ?', [id])?.n);
			}
			case 'prefixed':
				return id;
		}
	}

	#read(given: string, form: Switches['ids']): string | undefined {
		if (form === 'uuid') {
			const [, place, ...hex] = uuid.exec(given) ?? [];
			const kind = kinds[Number.parseInt(place ?? '', 16)];
			return kind && `${kind}_${hex.join('')}`;
		}
		if (form === 'slashes') {
			const [, kind, ...hex] = slashes.exec(given) ?? [];
			return kind && `${kind}_${hex.join('')}`;
		}
		if (form === 'prefixed' || !/^\d{1,15}$/.test(given)) return undefined;
		const row = this.parts.database.get('SELECT id FROM numbered_ids WHERE n = ?', [Number(given)]);
		return row && text(row.id);
	}
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
