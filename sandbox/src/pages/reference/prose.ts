import { html } from 'hono/html';
import { isObject, readText } from '../../platform/json.ts';
import type { Json, JsonObject } from '../../platform/json.ts';
import { badge } from '../elements.ts';
import type { Html } from '../elements.ts';

/** A sentence of the contract, with what stands between backticks as code. */
export function sentence(text: string): Html {
	const pieces = text.trim().split('`');
	return html`${pieces.map((piece, at) => (at % 2 === 1 ? html`<code>${piece}</code>` : piece))}`;
}

/** A text of the contract with its paragraphs. */
export function prose(text: Json | undefined): Html {
	const paragraphs = (readText(text) ?? '').split(/\n\s*\n/).filter((one) => one.trim() !== '');
	return html`${paragraphs.map((one) => html`<p>${sentence(one)}</p>`)}`;
}

/** Where an element of the contract comes from: the service's own description, or an assumption with its number. */
export function source(element: JsonObject): Html {
	const aspects = element['x-assumed-aspects'];
	const partly = [...new Set(Object.values(isObject(aspects) ? aspects : {}).map(String))];
	const number = readText(element['x-assumption']);
	if (element['x-provenance'] === 'given') {
		return html`${badge('given', 'good')} ${partly.map((one) => badge(`in part ${one}`))}`;
	}
	return html`${number === null ? '' : badge(`assumed ${number}`)}`;
}

/** The members of an object that are objects themselves. */
export function members(value: Json | undefined): [string, JsonObject][] {
	return Object.entries(isObject(value) ? value : {}).flatMap(
		([name, one]): [string, JsonObject][] => (isObject(one) ? [[name, one]] : []),
	);
}

export function list(value: Json | undefined): Json[] {
	return Array.isArray(value) ? value : [];
}

/** JSON as a person reads it. */
export function json(value: Json, label: string): Html {
	return html`<pre tabindex="0" aria-label="${label}">${JSON.stringify(value, null, 2)}</pre>`;
}
