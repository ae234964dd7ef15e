import { updateDisplayOptions } from 'n8n-workflow';
import type { INodeProperties } from 'n8n-workflow';
import { listChoices, listInnerFields } from '../fields';
import { OWN_WORD, UNSET_WORD } from '../words';

/** The mark by which n8n's editor recognizes a field that the model fills in. */
const OVERRIDE = '/*n8n-auto-generated-fromAI-override*/';

/** How many records a list gives a model by default. */
const TOOL_LIMIT = 10;

/** Fields that the person who sets up the tool fills in. */
const FILLED_IN_BY_PERSON = [
	'baseUrlFrom',
	'baseUrl',
	'furtherFields',
	'customFields',
	'dossierOfList',
];

/** Fields that would do nothing in a tool: about files, and about lists without an end. */
const HIDDEN = [
	'binaryPropertyName',
	'exportAs',
	'handOnFiles',
	'ownCategory',
	'ownStatus',
	'qrFormat',
	'returnAll',
];

/** How a model names a record, by the beginning of the locator's name. */
const LOCATOR_DESCRIPTIONS: ReadonlyArray<readonly [beginning: string, names: string]> = [
	['dossier', 'The ID or the reference of the dossier, e.g. 2026-0042'],
	['portalUser', 'The ID or the email address of the portal user'],
	['task', 'The ID of the task, as the tools that list tasks give it'],
	['document', 'The ID of the document, as the tools that list documents give it'],
	['assignee', 'The ID of the user, as assignee_id in a dossier or a task'],
];

const isLocatorField = ({ type }: INodeProperties) => type === 'resourceLocator';

function explainValue(field: INodeProperties): string {
	const { type, placeholder = '' } = field;
	if (type === 'dateTime') return 'ISO 8601, e.g. 2026-03-31T12:00:00Z';
	const choices = listChoices(field).flatMap(({ value }) => (value === OWN_WORD ? [] : [value]));
	if (choices.length) return `One of: ${choices.join(', ')}`;
	return placeholder.includes('{{') ? '' : placeholder.replace(/^e\.g\. /, 'Example: ');
}

/** The description of a field for a model. */
function explainField(field: INodeProperties, isOptional: boolean): string {
	const named =
		isLocatorField(field) &&
		LOCATOR_DESCRIPTIONS.find(([beginning]) => field.name.startsWith(beginning))?.[1];
	const { description = field.displayName } = field;
	const about = isOptional ? [description, named] : [named || description];
	const sentences = [...about, named ? '' : explainValue(field), isOptional ? 'Optional' : ''];
	return sentences
		.filter((one) => typeof one === 'string' && one !== '')
		.map((one) => String(one).replace(/[.`\\]+$/, ''))
		.join('. ')
		.replaceAll('`', "'");
}

const MODEL_TYPES: Partial<Record<INodeProperties['type'], string>> = {
	boolean: 'boolean',
	number: 'number',
};

/** The expression that leaves a field to the model. With a fallback the field is optional; n8n requires every other one. */
function leaveToModel(field: INodeProperties, fallback?: string): string {
	const key = field.displayName.replace(/[^a-zA-Z0-9-]+/g, '_').replace(/^_|_$/g, '');
	const type = MODEL_TYPES[field.type] ?? 'string';
	const about = explainField(field, fallback !== undefined);
	const last = fallback === undefined ? '' : `, ${type === 'string' ? `'${fallback}'` : fallback}`;
	// n8n's editor does not let a model fill in choices: it shows them as an expression.
	const mark = field.type === 'options' ? '' : `${OVERRIDE} `;
	return `={{ ${mark}$fromAI('${key}', \`${about}\`, '${type}'${last}) }}`;
}

const byModelId = (value: string) => ({ __rl: true, mode: 'id', value });

/** The value of a field inside a collection, which the model may leave out. */
function leaveOptional(field: INodeProperties): unknown {
	const number = typeof field.default === 'number' ? String(field.default) : '';
	const fallback = field.type === 'boolean' ? 'false' : number;
	const expression = leaveToModel(field, fallback);
	return isLocatorField(field) ? byModelId(expression) : expression;
}

const OPEN_TYPES = ['boolean', 'string', 'dateTime', 'number', 'options', 'resourceLocator'];

const canBeLeft = ({ type, name }: INodeProperties) =>
	OPEN_TYPES.includes(type) && !FILLED_IN_BY_PERSON.includes(name) && !HIDDEN.includes(name);

/** The value of a collection in which all fields are left to the model. */
function leaveCollection(collection: INodeProperties): Record<string, unknown> {
	const fields = listInnerFields(collection).filter(canBeLeft);
	return Object.fromEntries(fields.map((field) => [field.name, leaveOptional(field)]));
}

/** What differs in a tool's field; `null` if a tool does not show it, `undefined` if it is the same. */
function adaptField(field: INodeProperties): Partial<INodeProperties> | null | undefined {
	const { name, type } = field;
	if (name === 'limit') return { default: TOOL_LIMIT, displayOptions: {} };
	if (HIDDEN.includes(name)) return null;
	if (name === 'output') return { default: 'simplified' };
	if (FILLED_IN_BY_PERSON.includes(name)) return undefined;
	if (name === 'filesFrom') return withoutFiles(field);
	if (name === 'category') return leaveCategory(field);
	if (type === 'multiOptions' && name === 'dossierIds') return leaveSeveral(field);
	if (type === 'collection' && ['fields', 'filters'].includes(name)) {
		return { default: leaveCollection(field) as INodeProperties['default'] };
	}
	if (isLocatorField(field))
		return { default: byModelId(leaveToModel(field, field.required ? undefined : '')) };
	if (type === 'dateTime') return { default: leaveToModel(field, '') };
	if (type === 'string' || (type === 'boolean' && name === 'enabled')) {
		return { default: leaveToModel(field) };
	}
	return undefined;
}

const NO_FILES =
	"A tool gets no files from n8n, so this operation cannot work as one. Use 'Upload' with a text or a web address.";

/** The choices without files of the item: n8n passes a tool only text. */
function withoutFiles(field: INodeProperties): Partial<INodeProperties> {
	const given = listChoices(field).filter(({ value }) => value === 'text' || value === 'url');
	if (given.length) return { options: given, default: 'text' };
	const whole = listChoices(field).filter(({ value }) => value === 'all');
	return { options: whole, default: 'all', hint: NO_FILES };
}

/** The category as one field for a word, whose description lists the usual ones. */
function leaveCategory(field: INodeProperties): Partial<INodeProperties> {
	const words = listChoices(field).filter(
		({ value }) => ![OWN_WORD, UNSET_WORD].includes(String(value)),
	);
	const own = {
		type: 'string' as const,
		description: `What kind of document it is. One of: ${words.map(({ value }) => value).join(', ')}; or another word in lower-case letters, digits and underscores`,
	};
	const left = { ...field, ...own, options: undefined };
	return {
		...left,
		default: leaveToModel(left, typeof field.default === 'string' ? field.default : ''),
	};
}

function leaveSeveral(field: INodeProperties): Partial<INodeProperties> {
	const own = {
		...field,
		displayName: 'Dossiers',
		type: 'string' as const,
		description: 'IDs or references of the dossiers that the person will see, with commas between',
	};
	return {
		...own,
		typeOptions: undefined,
		default: leaveToModel({ ...own, name: 'several' }, ''),
	};
}

const IN_TOOLS = '@tool';

/**
 * Adds the variants of fields that tools show. In a tool, a field that a model can know is left to the model from the
 * start, with a description of what to give. Without that, a person would have to set up each field in n8n's editor.
 */
export function addToolFields(fields: INodeProperties[]): INodeProperties[] {
	return fields.flatMap((field) => {
		const changes = adaptField(field);
		if (changes === undefined) return [field];
		const [own = field] = updateDisplayOptions({ hide: { [IN_TOOLS]: [true] } }, [field]);
		if (changes === null) return [own];
		const changed = { ...field, ...changes };
		return [own, ...updateDisplayOptions({ show: { [IN_TOOLS]: [true] } }, [changed])];
	});
}

/** The fields of a form as a tool shows them, whose labels a model reads. */
export const listToolFields = (fields: INodeProperties[]): INodeProperties[] =>
	addToolFields(fields).filter(({ displayOptions }) => !displayOptions?.hide?.[IN_TOOLS]);
