/** Fields of a node's form as tables that a person reads. */
import type {
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	NodePropertyTypes,
} from 'n8n-workflow';

/** HTML of a form as Markdown: links and emphasis; whatever else there is goes. */
export function markdownOf(html: string): string {
	return html
		.replace(/<a href="([^"]+)"[^>]*>(.*?)<\/a>/g, '[$2]($1)')
		.replace(/<\/?b>/g, '**')
		.replace(/<[^>]+>/g, '');
}

/** Text as a sentence: n8n wants descriptions without a full stop. */
export const sentence = (text: string) => (/[.…!?:]$/.test(text) ? text : `${text}.`);

const inCell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

type Option = INodePropertyOptions | INodeProperties | INodePropertyCollection;

const isChoice = (option: Option): option is INodePropertyOptions => 'value' in option;
const isField = (option: Option): option is INodeProperties => 'type' in option;

const choicesOf = ({ options = [] }: INodeProperties) => options.filter(isChoice);

/** The fields that a collection offers. */
export const fieldsIn = ({ options = [] }: INodeProperties) => options.filter(isField);

function exampleOf({ placeholder = '', modes = [] }: INodeProperties): string {
	const all = [placeholder, ...modes.map((mode) => mode.placeholder ?? '')];
	const example = all.find((one) => one.startsWith('e.g. '))?.slice('e.g. '.length);
	return example ? `, e.g. \`${example}\`` : '';
}

type Words = (field: INodeProperties) => string;

const KINDS: Partial<Record<NodePropertyTypes, Words>> = {
	string: ({ typeOptions }) => {
		if (typeOptions?.password) return 'Text, kept hidden';
		return typeOptions?.rows ? 'Text of several lines' : 'Text';
	},
	number: ({ typeOptions: { minValue } = {} }) =>
		minValue === undefined ? 'A number' : `A number, ${minValue} or more`,
	boolean: () => 'On or off',
	options: () => 'One of the choices',
	multiOptions: ({ typeOptions }) =>
		typeOptions?.loadOptionsMethod
			? 'Several from a list that the service fills, or their IDs'
			: 'Several of the choices',
	dateTime: () => 'A date and time',
	json: () => 'A JSON object',
	resourceLocator: ({ modes = [] }) => modes.map(({ displayName }) => displayName).join(', or '),
};

function takes(field: INodeProperties): string {
	const kind = KINDS[field.type];
	if (kind) return kind(field) + exampleOf(field);
	throw new Error(
		`scripts/docsFields.ts has no words for fields of the type "${field.type}" (${field.displayName}).`,
	);
}

function defaultOf(field: INodeProperties): string {
	const { default: value, type } = field;
	const named = [value].flat().map((one) => {
		const choice = choicesOf(field).find((option) => option.value === one);
		return choice?.name ?? '';
	});
	if (type === 'boolean') return value === true ? 'on' : 'off';
	if (type === 'options' || type === 'multiOptions') return named.filter(Boolean).join(', ');
	if (typeof value === 'number') return `${value}`;
	return type === 'string' && typeof value === 'string' && value ? `\`${value}\`` : '';
}

/** Which choices elsewhere in the form make a field appear. */
function shownWhere({ displayOptions }: INodeProperties, siblings: INodeProperties[]): string {
	const conditions = Object.entries(displayOptions?.show ?? {}).filter(
		([name]) => name !== 'resource' && name !== 'operation',
	);
	const words = conditions.map(([name, values = []]) => {
		// A leading slash means the root of the form
		const [own = '', part] = name.replace(/^\//, '').split('.');
		const other = siblings.find((field) => field.name === own);
		if (!other) throw new Error(`A field is shown by "${name}", which the form does not have.`);
		const named = [...values].map((value) => {
			if (value === true || value === false) return value ? 'on' : 'off';
			const choices = part === 'mode' ? other.modes : choicesOf(other);
			const choice = choices?.find((one) => value === ('value' in one ? one.value : one.name));
			if (!choice) throw new Error(`"${name}" has no choice ${JSON.stringify(value)}.`);
			return `*${'displayName' in choice ? choice.displayName : choice.name}*`;
		});
		return `*${other.displayName}* is ${named.join(' or ')}`;
	});
	return words.length ? `Shown where ${words.join(' and ')}.` : '';
}

function explanationOf(field: INodeProperties, siblings: INodeProperties[]): string {
	const { description = '', hint = '' } = field;
	const said = [description, hint].filter(Boolean).map((text) => sentence(markdownOf(text)));
	const choices = choicesOf(field).map(({ name, description: meaning }) =>
		meaning ? `**${name}**: ${sentence(markdownOf(meaning))}` : `**${name}**`,
	);
	const explained = choices.some((choice) => choice.includes(': '));
	const list = explained ? choices.join('<br>') : choices.join(' · ');
	return [[...said, shownWhere(field, siblings)].filter(Boolean).join(' '), list]
		.filter(Boolean)
		.join('<br>');
}

function tableOf(fields: INodeProperties[], siblings: INodeProperties[]): string {
	const rows = fields.map((field) => {
		const label = `**${field.displayName}**${field.required ? ' (required)' : ''}`;
		return [label, takes(field), defaultOf(field), explanationOf(field, siblings)];
	});
	const head = [
		['Field', 'Takes', 'At first', 'What it is for'],
		['---', '---', '---', '---'],
	];
	return [...head, ...rows].map((row) => `| ${row.map(inCell).join(' | ')} |`).join('\n');
}

/** A form as Markdown: its fields as a table, its notices as quotations, and a table for each of its collections. */
export function formAsMarkdown(fields: INodeProperties[]): string {
	const single = fields.filter(({ type }) => type !== 'collection' && type !== 'notice');
	const notices = fields.filter(({ type }) => type === 'notice');
	const collections = fields.filter(({ type }) => type === 'collection');
	const parts = single.length ? [tableOf(single, fields)] : [];
	for (const notice of notices) {
		const text = [shownWhere(notice, fields), markdownOf(notice.displayName)];
		parts.push(`> ${text.filter(Boolean).join(' ')}`);
	}
	for (const collection of collections) {
		const { displayName, description } = collection;
		const about = description ? `: ${sentence(markdownOf(description))}` : '';
		const own = fieldsIn(collection);
		parts.push(`**${displayName}**${about}`, tableOf(own, [...own, ...fields]));
	}
	return parts.join('\n\n');
}
