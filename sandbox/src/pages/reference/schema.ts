import { html } from 'hono/html';
import type { Contract } from '../../contract/contract.ts';
import { isObject, readList, readMembers, readText } from '../../platform/json.ts';
import type { Json, JsonObject } from '../../platform/json.ts';
import { badge, formatValue, table } from '../elements.ts';
import type { Html } from '../elements.ts';

/** A property of a schema, or a parameter of an operation. */
interface SchemaField {
	name: string;
	/** Where a parameter is sent, such as `query`. */
	place?: string;
	isRequired: boolean;
	element: JsonObject;
	schema: JsonObject;
}

/** A text of the contract, with code for everything between backticks. */
export function prose(text: Json | undefined): Html {
	const pieces = (readText(text) ?? '').trim().split('`');
	return html`${pieces.map((piece, at) => (at % 2 === 1 ? html`<code>${piece}</code>` : piece))}`;
}

/** Where an element comes from: the description of the service, or an assumption with its number. */
export function provenance(element: JsonObject): Html | string {
	if (element['x-provenance'] === 'given') {
		const aspects = element['x-assumed-aspects'];
		const numbers = new Set(Object.values(isObject(aspects) ? aspects : {}).map(String));
		return html`${badge('given', 'good')} ${[...numbers].map((one) => badge(`in part ${one}`))}`;
	}
	const number = readText(element['x-assumption']);
	return number === null ? '' : badge(`assumed ${number}`);
}

/** What a value can be, in a few words. Names of schemas are links. */
export function schemaType(contract: Contract, element: Json | undefined): Html {
	if (!isObject(element)) return html`anything`;
	const name = /^#\/components\/schemas\/(.+)$/.exec(readText(element.$ref) ?? '')?.[1];
	if (name !== undefined) return html`<a href="/_sandbox/reference/schemas/${name}">${name}</a>`;
	const choices = [...readList(element.oneOf), ...readList(element.anyOf)].filter(isObject);
	if (choices.length > 0 && choices.every((one) => !('const' in one))) {
		return joined(
			choices.map((one) => schemaType(contract, one)),
			' or ',
		);
	}
	const values = [
		...('const' in element ? [element.const] : readList(element.enum)),
		...choices.map((one) => one.const),
	];
	if (values.length > 0) {
		return joined(
			values.map((one) => html`<code>${formatValue(one)}</code>`),
			', ',
		);
	}
	const types = [element.type ?? 'object'].flat().map(formatValue);
	if (types.includes('array')) {
		const optional = types.includes('null') ? ' or null' : '';
		return html`list of ${schemaType(contract, element.items)}${describeLimits(element)}${optional}`;
	}
	const text = types.join(' or ');
	const format = readText(element.format);
	return html`${text}${format === null ? '' : ` (${format})`}${describeLimits(element)}`;
}

function joined(parts: Html[], separator: string): Html {
	return html`${parts.map((one, at) => html`${at > 0 ? separator : ''}${one}`)}`;
}

const bounds = [
	['minLength', 'maxLength', ' characters'],
	['minItems', 'maxItems', ' entries'],
	['minimum', 'maximum', ''],
] as const;

function describeLimits(schema: JsonObject): string {
	return bounds
		.map(([min, max, unit]) => {
			const [least, most] = [schema[min], schema[max]];
			if (least === undefined && most === undefined) return '';
			if (most === undefined) return `, ${formatValue(least)}${unit} or more`;
			return `, ${least === undefined ? 'up to' : `${formatValue(least)} to`} ${formatValue(most)}${unit}`;
		})
		.join('');
}

/** The properties of a schema, those of the schemas that it extends included. */
export function listFields(contract: Contract, element: Json | undefined): SchemaField[] {
	const schema = contract.resolve(element);
	const inherited = readList(schema.allOf).flatMap((one) => listFields(contract, one));
	const required = readList(schema.required);
	const own = readMembers(schema.properties).map(([name, one]) => ({
		name,
		isRequired: required.includes(name),
		element: one,
		schema: one,
	}));
	const fields = new Map([...inherited, ...own].map((field) => [field.name, field]));
	return [...fields.values()].map((field) => ({
		...field,
		isRequired: field.isRequired || required.includes(field.name),
	}));
}

/** Fields as a table, with their types, meanings and sources. */
export function fieldTable(contract: Contract, caption: string, fields: SchemaField[]): Html {
	return table(
		caption,
		[
			{
				head: 'Name',
				cell: ({ name, place, isRequired }) =>
					html`<code>${name}</code> ${place === undefined
							? ''
							: html`<span class="quiet">in ${place}</span>`}
						${isRequired ? html`<span class="required">required</span>` : ''}`,
			},
			{ head: 'Value', cell: ({ schema }) => schemaType(contract, schema) },
			{
				head: 'Meaning',
				cell: ({ element }) => {
					const { description, default: fallback } = contract.resolve(element);
					const note = html` Default: <code>${formatValue(fallback)}</code>.`;
					return html`${prose(description)}${fallback === undefined ? '' : note}`;
				},
			},
			{ head: 'Source', cell: ({ element }) => provenance(element) },
		],
		fields,
		'There are no fields.',
	);
}
