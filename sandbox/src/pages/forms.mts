import { html } from 'hono/html';
import type { Html } from './elements.mts';
import type { PageRequest } from './request.mts';

interface FieldOptions {
	name: string;
	label: string;
	/** The value before anything is entered. */
	value?: string | undefined;
	/** A sentence that says what to enter. */
	hint?: string;
	required?: boolean;
}

interface InputOptions extends FieldOptions {
	type?: 'text' | 'search' | 'number' | 'url' | 'file' | 'datetime-local';
	min?: number;
	max?: number;
	step?: number | 'any';
	maxlength?: number;
	pattern?: string;
}

/** A value to choose, with its own words or those of a label. */
type Choice = string | { value: string; label: string; group?: string };

type ButtonMood = 'main' | 'plain' | 'risky';

/** A button that sends what is known, without a field to fill in. */
export function button(
	action: string,
	label: Html | string,
	{ mood = 'plain', sends = {} }: { mood?: ButtonMood; sends?: Record<string, string> } = {},
): Html {
	return html`<form method="post" action="${action}">
		${Object.entries(sends).map(
			([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
		)}
		<button type="submit" class="${mood}">${label}</button>
	</form>`;
}

/** A form of a page. After a refusal, its fields hold the values that were entered. */
export class Form {
	readonly #action: string;
	readonly #entered: URLSearchParams | undefined;
	readonly #idBase: string;
	readonly #encoding: 'multipart/form-data' | 'application/x-www-form-urlencoded';

	constructor({ refused }: PageRequest, action: string, { file = false }: { file?: boolean } = {}) {
		this.#action = action;
		// The fields of a form with a file are not kept.
		this.#entered =
			refused?.action === action && refused.fields.size > 0 ? refused.fields : undefined;
		this.#idBase = action.replaceAll(/[^a-zA-Z0-9]+/g, '-').slice(1);
		this.#encoding = file ? 'multipart/form-data' : 'application/x-www-form-urlencoded';
	}

	/** The form with its fields and a button that submits it. */
	html(fields: Html | Html[], label: string, mood: ButtonMood = 'main'): Html {
		return html`<form method="post" action="${this.#action}" enctype="${this.#encoding}">
			${fields} <button type="submit" class="${mood}">${label}</button>
		</form>`;
	}

	/** The form with fields that choose what the page shows. */
	filter(fields: Html | Html[], label: string, className = 'inline'): Html {
		return html`<form method="get" action="${this.#action}" class="${className}">
			${fields} <button type="submit" class="plain">${label}</button>
		</form>`;
	}

	/** A field for a line of text, a number, a time or a file. */
	input({ type = 'text', min, max, step, maxlength, pattern, ...options }: InputOptions): Html {
		const limits = Object.entries({ min, max, step, maxlength, pattern });
		const attributes = limits.flatMap(([name, value]) =>
			value === undefined ? [] : [html` ${name}="${String(value)}"`],
		);
		const value = type === 'file' ? '' : this.#readValue(options);
		return this.#field(
			options,
			(id, described) =>
				html`<input
					id="${id}"
					name="${options.name}"
					type="${type}"
					value="${value}"
					autocomplete="off"
					${described}
					${options.required ? 'required' : ''}
					${attributes}
				/>`,
		);
	}

	/** A field with a list of values to choose one from. */
	choice({ choices, ...options }: FieldOptions & { choices: Choice[] }): Html {
		const chosen = this.#readValue(options);
		const known = choices.map(readChoice);
		const groups = [...new Set(known.map(({ group }) => group))];
		const grouped = groups.map((group) => {
			const some = known
				.filter((one) => one.group === group)
				.map(
					({ value, label }) =>
						html`<option value="${value}" ${value === chosen ? 'selected' : ''}>${label}</option>`,
				);
			return group === undefined ? some : html`<optgroup label="${group}">${some}</optgroup>`;
		});
		return this.#field(
			options,
			(id, described) =>
				html`<select id="${id}" name="${options.name}" ${described}>
					${grouped}
				</select>`,
		);
	}

	/** Boxes, all of them ticked before anything is entered. */
	boxes(name: string, legend: string, choices: string[]): Html {
		const ticked = this.#entered ? this.#entered.getAll(name) : choices;
		return html`<fieldset class="boxes">
			<legend>${legend}</legend>
			${choices.map((one) => this.#box(name, one, ticked.includes(one)))}
		</fieldset>`;
	}

	/** One box that has to be ticked. */
	consent(name: string, label: string): Html {
		return html`<div class="boxes">${this.#box(name, { value: 'yes', label }, false, true)}</div>`;
	}

	#box(name: string, choice: Choice, checked: boolean, required = false): Html {
		const { value, label } = readChoice(choice);
		const id = `${this.#idBase}-${name}-${value}`.replaceAll(/\W+/g, '-');
		return html`<label for="${id}"
			><input
				id="${id}"
				type="checkbox"
				name="${name}"
				value="${value}"
				${checked ? 'checked' : ''}
				${required ? 'required' : ''}
			/>
			${label}</label
		>`;
	}

	#readValue({ name, value = '' }: FieldOptions): string {
		return this.#entered ? (this.#entered.get(name) ?? '') : value;
	}

	#field(
		{ name, label, hint }: FieldOptions,
		control: (id: string, described: Html | string) => Html,
	): Html {
		const id = `${this.#idBase}-${name}`.replaceAll(/\W+/g, '-');
		return html`<div class="field">
			<label for="${id}">${label}</label>
			${control(id, hint === undefined ? '' : html`aria-describedby="${id}-hint"`)}
			${hint === undefined ? '' : html`<p class="hint" id="${id}-hint">${hint}</p>`}
		</div>`;
	}
}

function readChoice(choice: Choice): Exclude<Choice, string> {
	return typeof choice === 'string' ? { value: choice, label: choice } : choice;
}
