import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { EndpointName } from '../../api/endpoints';
import { Problem } from '../../problems/problem';
import { toText } from '../../api/json';
import { getPath } from '../../dialect/paths';
import { asOpenChoice, asText, isEmpty, isLocator } from '../parameters';
import type { Parse } from '../parameters';
import { foldWord, OWN_WORD } from '../words';

/** A condition that a record must meet to pass a filter. */
export interface Condition {
	/** The filter, by its name in the form. */
	filter: string;
	/** The field of a record that it compares. */
	compares: string;
	/** The query parameter, by its canonical name, its value, and a value that no record has. Absent if no service has one. */
	query?: { parameter: string; value: string; impossible: string };
	/** Whether a record can be without a value, and then does not pass: a task need not be due, nor have an assignee. */
	isOptional?: true;
	/**
	 * Whether a record passes; `undefined` if it lacks the field, 'unreadable' if it holds something else than what is compared.
	 * `now` is the service's time in ms since 1970.
	 */
	passes: (record: IDataObject, now: number) => boolean | 'unreadable' | undefined;
	/** Who decides whether a record passes: `node` for a time; `both` for a word, which the service may spell otherwise; `service` for a search. */
	decidedBy: 'node' | 'both' | 'service';
}

/** A filter of a list: its field in the form, and the conditions for a value. */
export interface ListFilter {
	field: INodeProperties;
	/** The field for a word that is not in the list, if `field` has the choice for it. */
	own?: INodeProperties;
	/** How the value is read; as text by default. */
	parse?: Parse;
	/** Words of the service for a field that takes any text. There may be others. */
	known?: string[];
	conditions: (value: unknown) => Condition[];
}

/** A choice with an entry for a word that it does not list, and the field for that word. */
export function withOwnWord(
	choice: INodeProperties,
	word: Pick<INodeProperties, 'name' | 'placeholder' | 'description'>,
): { field: INodeProperties; own: INodeProperties } {
	return {
		field: {
			...choice,
			options: [...(choice.options ?? []), { name: 'Your Own…', value: OWN_WORD }],
		},
		own: {
			displayName: `${choice.displayName} Name`,
			type: 'string',
			default: '',
			// Not required: while the choice is an expression, n8n shows this field and would insist on it.
			displayOptions: { show: { [choice.name]: [OWN_WORD] } },
			...word,
		},
	};
}

/** The filter on the state of a record: one of the usual ones, or another word of the service. */
export function statusFilter(choice: INodeProperties): ListFilter {
	const { field, own } = withOwnWord(choice, {
		name: 'ownStatus',
		placeholder: 'e.g. on_hold',
		description: 'The state as the service names it',
	});
	return valueFilter('status', field, { own });
}

/** A list of records, and how it can be narrowed and sorted. */
export interface RecordList {
	endpoint: EndpointName;
	filters: ListFilter[];
	/** The fields to sort by, as the service names them. */
	sorts?: string[];
	/** Whether its records name people. */
	hasPeople?: true;
	/** The fields of a simplified record: ten at most, a dot leads into a nested object. */
	simple: readonly string[];
}

/** A value that no record has. */
const IMPOSSIBLE = 'no-record-has-this-value';

interface ValueOptions extends Pick<ListFilter, 'own' | 'parse'>, Pick<Condition, 'isOptional'> {
	/** Where a record has the value, if not under the name of the parameter; the first that it has. */
	paths?: string[];
	/** Whether the text must be the same in every sign. */
	isText?: boolean;
}

/** A filter on a field with the same words or the same text; `name` is the query parameter. */
export function valueFilter(
	name: string,
	field: INodeProperties,
	{ paths = [name], isText = false, isOptional, parse: parseValue, own }: ValueOptions = {},
): ListFilter {
	const read = isText ? toText : foldWord;
	const parse = field.type === 'options' ? asOpenChoice(field) : parseValue;
	return {
		field,
		own,
		parse,
		conditions: (value) => [
			{
				filter: field.name,
				compares: paths[0] ?? name,
				isOptional,
				query: { parameter: name, value: toText(value) ?? '', impossible: IMPOSSIBLE },
				passes: (record) => {
					const all = paths.map((path) => getPath(record, path));
					const held = all.find((one) => one !== undefined);
					return held === undefined
						? undefined
						: [held].flat().some((one) => read(one) === read(value));
				},
				decidedBy: 'both',
			},
		],
	};
}

/** Whether a value, or one inside it, contains a text in lower case. */
const contains = (value: unknown, text: string): boolean =>
	typeof value === 'object' && value !== null
		? Object.values(value).some((inner) => contains(inner, text))
		: toText(value)?.toLowerCase().includes(text) === true;

/** A filter that searches for words. */
export const searchFilter = (example: string): ListFilter => ({
	field: {
		displayName: 'Search',
		name: 'search',
		type: 'string',
		default: '',
		placeholder: `e.g. ${example}`,
		description: 'Only records that contain these words',
	},
	conditions: (value) => [
		{
			filter: 'search',
			compares: 'q',
			query: { parameter: 'q', value: String(value), impossible: IMPOSSIBLE },
			passes: (record) => contains(record, String(value).toLowerCase()),
			decidedBy: 'service',
		},
	],
});

/** The labels of the filters that were added and are empty, so that they select nothing. */
export const listEmptyFilters = (filters: ListFilter[], given: Record<string, unknown>): string[] =>
	filters.flatMap(({ field, own }) => {
		if (!(field.name in given)) return [];
		const shown = own && given[field.name] === OWN_WORD ? own : field;
		const held = given[shown.name];
		return isEmpty(isLocator(held) ? held.value : held) ? [shown.displayName] : [];
	});

const hasValue = (held: unknown) => ((isLocator(held) ? held.value : held) ?? null) !== null;

/**
 * Reads the conditions of the filters that were added to a form.
 *
 * @param given the collection with the filters' values
 * @throws Problem if a value cannot be read. Empty text means no filter; but an expression that finds no value is
 * mistyped, and would return every record.
 */
export function readConditions(
	filters: ListFilter[],
	given: Record<string, unknown>,
	timezone: string,
): Condition[] {
	const added = filters
		.filter(({ field: { name } }) => name in given)
		.map(({ field, own, ...rest }) => ({
			...rest,
			name: own && given[field.name] === OWN_WORD ? own.name : field.name,
		}));
	const missing = added.find(({ name }) => !hasValue(given[name]));
	if (missing) throw new Problem('FIELD_EMPTY', { field: missing.name });
	return added.flatMap(({ name, parse = asText, conditions }) => {
		if (isEmpty(given[name])) return [];
		const value = parse(given[name], name, timezone);
		return isEmpty(value) ? [] : conditions(value);
	});
}
