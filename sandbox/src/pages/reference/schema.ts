import { html } from 'hono/html';
import type { Contract } from '../../contract/contract.ts';
import { isObject, readText } from '../../platform/json.ts';
import type { Json, JsonObject } from '../../platform/json.ts';
import { table, formatValue } from '../elements.ts';
import type { Html } from '../elements.ts';
import { list, members, prose, sentence, source } from './prose.ts';

/** A property of a schema, or a parameter of an operation. */
interface Field {
	name: string;
	/** Where a parameter stands, such as `query`. */
	place?: string | undefined;
	required: boolean;
	element: JsonObject;
	schema: JsonObject;
}

/** Schemas of the contract as text and tables. Where they have no part of their own on the page, nothing leads to them. */
export class Schemas {
	readonly #contract: Contract;
	readonly #linked: boolean;

	constructor(contract: Contract, linked: boolean) {
		this.#contract = contract;
		this.#linked = linked;
	}

	/** What a value has to be, in a few words. */
	type(element: Json | undefined): Html {
		if (!isObject(element)) return html`anything`;
		const name = nameOf(element);
		if (name !== undefined) {
			return this.#linked
				? html`<a href="#schema-${name}">${name}</a>`
				: this.type(this.#contract.resolve(element));
		}
		const choices = [...list(element.oneOf), ...list(element.anyOf)];
		if (choices.length > 0 && !choices.some((one) => isObject(one) && 'const' in one)) {
			return html`${choices.map((one, at) => html`${at > 0 ? ' or ' : ''}${this.type(one)}`)}`;
		}
		if (element.type === 'array')
			return html`list of ${this.type(element.items)}${limitsOf(element)}`;
		const allowed = 'const' in element ? [element.const ?? null] : list(element.enum);
		if (allowed.length > 0) {
			return html`${allowed.map(
				(one, at) => html`${at > 0 ? ', ' : ''}<code>${formatValue(one)}</code>`,
			)}`;
		}
		const types = Array.isArray(element.type)
			? element.type.map(String)
			: [readText(element.type) ?? 'object'];
		const format = readText(element.format);
		return html`${types.join(' or ')}${format === null ? '' : ` (${format})`}${limitsOf(element)}`;
	}

	/** The properties of a schema as a table, those of the schemas that it builds on included. */
	properties(element: JsonObject, caption: string): Html {
		const fields = this.#fieldsOf(element);
		if (fields.length === 0) return html`<p>${this.type(element)}</p>`;
		return this.#table(caption, fields);
	}

	/** The parameters of an operation as a table. */
	parameters(parameters: JsonObject[]): Html {
		const fields = parameters.map((element) => ({
			name: readText(element.name) ?? '',
			place: readText(element.in) ?? undefined,
			required: element.required === true,
			element,
			schema: isObject(element.schema) ? element.schema : {},
		}));
		return this.#table('Parameters', fields);
	}

	/** The first example of a schema, or nothing where it has none. */
	example(element: Json | undefined): Json | undefined {
		return list(this.#contract.resolve(element).examples)[0];
	}

	/** A part of the page for a schema. */
	part(name: string, element: JsonObject): Html {
		const fields = this.#fieldsOf(element);
		return html`<section class="schema" aria-labelledby="schema-${name}">
			<h3 id="schema-${name}">${name} ${source(element)}</h3>
			${prose(element.description)}
			${fields.length > 0
				? this.#table(`FormFields of ${name}`, fields)
				: html`<p>${this.type(element)}</p>`}
		</section>`;
	}

	#fieldsOf(element: JsonObject): Field[] {
		const schema = this.#contract.resolve(element);
		const base = list(schema.allOf).flatMap((one) => (isObject(one) ? this.#fieldsOf(one) : []));
		const required = list(schema.required);
		const own = members(schema.properties).map(([name, one]) => ({
			name,
			required: required.includes(name),
			element: one,
			schema: one,
		}));
		const fields = new Map([...base, ...own].map((field) => [field.name, field]));
		return [...fields.values()].map((field) => ({
			...field,
			required: field.required || required.includes(field.name),
		}));
	}

	#table(caption: string, fields: Field[]): Html {
		return table(
			caption,
			[
				{
					head: 'Name',
					cell: ({ name, place, required }) =>
						html`<code>${name}</code>${place === undefined
								? ''
								: html` <span class="quiet">in ${place}</span>`}${required
								? html` <span class="required">required</span>`
								: ''}`,
				},
				{ head: 'Value', cell: ({ schema }) => this.type(schema) },
				{ head: 'Meaning', cell: ({ element }) => this.#meaning(element) },
				{ head: 'Source', cell: ({ element }) => source(element) },
			],
			fields,
			'None.',
		);
	}

	#meaning(element: JsonObject): Html {
		const resolved = this.#contract.resolve(element);
		const given =
			'default' in resolved
				? html` Otherwise <code>${JSON.stringify(resolved.default)}</code>.`
				: '';
		return html`${sentence(readText(resolved.description) ?? '')}${given}`;
	}
}

/** The name of the schema that an element refers to. */
export function nameOf(element: Json | undefined): string | undefined {
	const reference = isObject(element) ? readText(element.$ref) : null;
	return reference?.startsWith('#/components/schemas/') ? reference.split('/').at(-1) : undefined;
}

const bounds: [least: string, most: string, unit: string][] = [
	['minLength', 'maxLength', 'characters'],
	['minItems', 'maxItems', 'entries'],
	['minProperties', 'maxProperties', 'fields'],
	['minimum', 'maximum', ''],
];

function limitsOf(schema: JsonObject): Html {
	const spans = bounds.flatMap(([from, to, unit]) => {
		const [least, most] = [schema[from], schema[to]];
		if (least === undefined && most === undefined) return [];
		if (most === undefined) return [`${formatValue(least)} or more ${unit}`];
		return [
			`${least === undefined ? 'up to ' : `${formatValue(least)} to `}${formatValue(most)} ${unit}`,
		];
	});
	const pattern = readText(schema.pattern);
	return html`${spans.map((span) => `, ${span.trim()}`)}${pattern === null
		? ''
		: html`, of the form <code>${pattern}</code>`}`;
}
