/** Fields of a node's form as tables that a person reads. */
import type {
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	NodePropertyTypes,
} from 'n8n-workflow';

/** HTML of a form as Markdown. Links and emphasis are kept, other tags are removed. */
export function toMarkdown(html: string): string {
	return html
		.replace(/<a href="([^"]+)"[^>]*>(.*?)<\/a>/g, '[$2]($1)')
		.replace(/<\/?b>/g, '**')
		.replaceAll('</li><li>', ' ')
		.replace(/<[^>]+>/g, '');
}

/** Text as a sentence: n8n wants descriptions without a full stop. */
export const toSentence = (text: string) => (/[.…!?:]$/.test(text) ? text : `${text}.`);

const inCell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** A table in Markdown. */
export const formatTable = (head: string[], rows: string[][]) =>
	[head, head.map(() => '---'), ...rows]
		.map((row) => `| ${row.map(inCell).join(' | ')} |`)
		.join('\n');

type Option = INodePropertyOptions | INodeProperties | INodePropertyCollection;

const isChoice = (option: Option): option is INodePropertyOptions => 'value' in option;
const isField = (option: Option): option is INodeProperties => 'type' in option;

const listChoices = ({ options = [] }: INodeProperties) => options.filter(isChoice);

/** The fields that a collection offers. */
const fieldsIn = ({ options = [] }: INodeProperties) => options.filter(isField);

/** The fields of the rows that a collection takes. */
const fieldsOfRows = ({ options = [] }: INodeProperties) =>
	options.flatMap((option) => ('values' in option ? option.values : []));

function findExample({ placeholder = '', modes = [] }: INodeProperties): string {
	const all = [placeholder, ...modes.map((mode) => mode.placeholder ?? '')];
	const example = all.find((one) => one.startsWith('e.g. '))?.slice('e.g. '.length);
	return example ? `, e.g. \`${example}\`` : '';
}

type Describe = (field: INodeProperties) => string;

const KINDS: Partial<Record<NodePropertyTypes, Describe>> = {
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
	fixedCollection: (field) => {
		const columns = fieldsOfRows(field).map(({ displayName }) => displayName.toLowerCase());
		return field.typeOptions?.multipleValues
			? `Rows of ${columns.join(' and ')}`
			: `A ${columns.join(' and a ')}`;
	},
	resourceLocator: ({ modes = [] }) => modes.map(({ displayName }) => displayName).join(', or '),
};

function describeType(field: INodeProperties): string {
	const kind = KINDS[field.type];
	if (kind) return kind(field) + findExample(field);
	throw new Error(
		`scripts/docs/fields.mts has no words for fields of the type "${field.type}" (${field.displayName}).`,
	);
}

function describeDefault(field: INodeProperties): string {
	const { default: value, type } = field;
	const named = [value].flat().map((one) => {
		const choice = listChoices(field).find((option) => option.value === one);
		return choice?.name ?? '';
	});
	if (type === 'boolean') return value === true ? 'on' : 'off';
	if (type === 'options' || type === 'multiOptions') return named.filter(Boolean).join(', ');
	if (typeof value === 'number') return `${value}`;
	return type === 'string' && typeof value === 'string' && value ? `\`${value}\`` : '';
}

/** Which choices elsewhere in the form make a field appear. */
function describeCondition(
	{ displayOptions }: INodeProperties,
	siblings: INodeProperties[],
): string {
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
			const choices = part === 'mode' ? other.modes : listChoices(other);
			const choice = choices?.find((one) => value === ('value' in one ? one.value : one.name));
			if (!choice) throw new Error(`"${name}" has no choice ${JSON.stringify(value)}.`);
			return `*${'displayName' in choice ? choice.displayName : choice.name}*`;
		});
		return `*${other.displayName}* is ${named.join(' or ')}`;
	});
	return words.length ? `Shown if ${words.join(' and ')}.` : '';
}

function explainField(field: INodeProperties, siblings: INodeProperties[]): string {
	const { description = '', hint = '' } = field;
	const said = [description, hint].filter(Boolean).map((text) => toSentence(toMarkdown(text)));
	const choices = listChoices(field).map(({ name, description: meaning }) =>
		meaning ? `**${name}**: ${toSentence(toMarkdown(meaning))}` : `**${name}**`,
	);
	const explained = choices.some((choice) => choice.includes(': '));
	const list = explained ? choices.join('<br>') : choices.join(' · ');
	for (const column of fieldsOfRows(field)) {
		const names = listChoices(column).map(({ name }) => `**${name}**`);
		if (names.length) choices.push(`${column.displayName}: ${names.join(' · ')}`);
	}
	return [[...said, describeCondition(field, siblings)].filter(Boolean).join(' '), list]
		.filter(Boolean)
		.join('<br>');
}

function tabulateFields(fields: INodeProperties[], siblings: INodeProperties[]): string {
	const rows = fields.map((field) => {
		const label = `**${field.displayName}**${field.required ? ' (required)' : ''}`;
		return [label, describeType(field), describeDefault(field), explainField(field, siblings)];
	});
	return formatTable(['Field', 'Takes', 'Default', 'What it is for'], rows);
}

/** A form as Markdown: its fields as a table, its notices as quotations, and a table for each of its collections. */
export function formAsMarkdown(fields: INodeProperties[]): string {
	const single = fields.filter(({ type }) => type !== 'collection' && type !== 'notice');
	const notices = fields.filter(({ type }) => type === 'notice');
	const collections = fields.filter(({ type }) => type === 'collection');
	const parts = single.length ? [tabulateFields(single, fields)] : [];
	for (const notice of notices) {
		const text = [describeCondition(notice, fields), toMarkdown(notice.displayName)];
		parts.push(`> ${text.filter(Boolean).join(' ')}`);
	}
	for (const collection of collections) {
		const { displayName, description } = collection;
		const said = description ? toSentence(toMarkdown(description)) : '';
		const about = [said, describeCondition(collection, fields)];
		const own = fieldsIn(collection);
		const heading = [`**${displayName}**`, about.filter(Boolean).join(' ')].filter(Boolean);
		parts.push(heading.join(': '), tabulateFields(own, [...own, ...fields]));
	}
	return parts.join('\n\n');
}
