import { html } from 'hono/html';
import { readText } from '../platform/json.mts';
import type { Json, JsonObject } from '../platform/json.mts';
import { formatId } from './datasets.mts';
import { badge, copyable, facts, timestamp, toWords, userText } from './elements.mts';
import type { Html } from './elements.mts';
import type { PageRequest } from './request.mts';

/** The fields of a record with their values, without those that the page shows elsewhere. */
export function fieldFacts(request: PageRequest, fields: JsonObject, without: string[]): Html {
	return facts(
		Object.entries(fields)
			.filter(([name]) => !without.includes(name))
			.map(([name, value]) => [toWords(name), formatField(request, name, value)]),
	);
}

function formatField({ service }: PageRequest, name: string, value: Json | undefined): Html {
	if (name === 'id') return copyable(formatId(service, readText(value)), 'the ID');
	if (name === 'status') return badge(toWords(readText(value) ?? ''));
	if (name.endsWith('_at')) return timestamp(readText(value));
	if (typeof value === 'string')
		return userText(name.endsWith('_by') ? formatId(service, value) : value);
	if (value === null || value === undefined || Object.keys(value).length === 0)
		return userText(null);
	if (Array.isArray(value)) return userText(value.map(String).join(', '));
	return html`<pre tabindex="0" aria-label="${toWords(name)}"><bdi>${JSON.stringify(
		value,
		null,
		2,
	)}</bdi></pre>`;
}

/** The media type of a document without its parameters. */
export function readType({ mime_type }: JsonObject): string {
	return (readText(mime_type) ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}
