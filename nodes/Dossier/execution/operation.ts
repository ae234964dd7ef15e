import type {
	IBinaryKeyData,
	IDataObject,
	INodeProperties,
	INodePropertyOptions,
	NodeHint,
} from 'n8n-workflow';
import { BACKGROUND_POLICY } from '../api/connection';
import type { ServiceRecord } from '../dialect/structure';
import type { Api } from '../api/client';
import type { Access } from '../problems/problem';
import type { ItemFiles } from './binary';
import type { Parameters } from './parameters';
import { addToolFields } from './tool/form';

/** An output item of an operation: a record, and files. */
export interface Output {
	json: ServiceRecord;
	/** Fields that the node adds, apart from the record, which *Raw Records* gives as the service sent it. */
	added?: IDataObject;
	binary?: IBinaryKeyData;
}

/** What a hint reports: a file was skipped; the limit cut a list; a list that was cut is not sorted; a new record lacks a text; a file was downloaded twice. */
export type RunFact = 'created' | 'skipped' | 'cut' | 'unsorted' | 'unshown' | 'repeated';

/** What an operation works with, for one item. */
export interface ItemRun {
	parameters: Parameters;
	api: Api;
	files: ItemFiles;
	/** Whether a model called the node. A tool gets no files and gives none out. */
	isTool: boolean;
	/**
	 * Prepares every part of an item, e.g. each of its files, then does the work for each. A part that cannot be prepared
	 * fails the item before any work is done. If the node continues on errors, a failed part gives out an error whose
	 * message begins with the part's name, and the other parts are processed. In the end, every prepared part is closed.
	 *
	 * @param isOfItem whether each output is about a file of the item: it then hands on the files of the item, except those
	 * that the other outputs are about
	 */
	each<Part>(
		parts: string[],
		prepare: (part: string) => Promise<Part & { close?(): void }>,
		work: (part: Part, api: Api) => Promise<Output>,
		isOfItem?: boolean,
	): Promise<Output[]>;
	/** Notes a fact for the hints above the output. */
	note: (fact: RunFact) => void;
	/** Makes a value once for all items of a run; later calls with the same key get the same value. */
	once: <T>(key: string, make: () => T) => T;
	/** Does work on one thing, e.g. a record, after all earlier work of this run on the same thing. */
	inTurn: <T>(thing: string, work: () => Promise<T>) => Promise<T>;
	/** Notes a thing; tells whether an earlier round of a loop noted it, in the same execution. */
	isRepeated: (thing: string) => boolean;
}

/** One operation: what the form shows, and what it does. */
export interface Operation {
	name: string;
	value: string;
	action: string;
	description: string;
	fields: INodeProperties[];
	/** Who may call its endpoints, if that differs from the resource. */
	access?: Access;
	/** The schema in contract/openapi.yaml of an output item, or, for a record that is not the service's, its fields by type. */
	output: string | Record<string, 'string' | 'number' | 'array'>;
	/** A warning that n8n shows before a run that cannot be undone; if the operation has `deletes`, only for that choice. */
	caution?: string;
	/** Fields that the node adds to that schema, by type. */
	addedOutput?: Record<string, 'string' | 'boolean' | 'object'>;
	/** The choice that makes the operation delete something: the field, and its value. */
	deletes?: { field: string; value: string };
	/**
	 * Looks at all items before the work for any of them begins, for an operation that decides about several items at once.
	 * Gives the error of each item that must not run, by its index. If the node stops on errors and there is one, no item runs.
	 */
	prepare?(runs: ItemRun[], failed: Map<number, unknown>): Promise<Map<number, unknown>>;
	/**
	 * Notes the record that the form names by a reference, and that does not exist. `run` creates it, once everything else
	 * of the item has proven right.
	 *
	 * @returns what stands for its identifier until then; `undefined` if the form does not ask for it
	 */
	noteMissing?(
		run: Pick<ItemRun, 'once'>,
		parameters: Parameters,
		reference: string,
	): string | undefined;
	/** Gives one output, beside which the files of the item are handed on, or a list of outputs. */
	run(run: ItemRun): Promise<Output | Output[]>;
}

export interface Resource {
	name: string;
	value: string;
	description: string;
	/** Who may call its endpoints. It decides which credential is used. */
	access: Access;
	operations: Operation[];
}

const { concurrency, startConcurrency, longestWait, timeout } = BACKGROUND_POLICY;
const [longestWaitSeconds, timeoutSeconds] = [longestWait / 1000, timeout / 1000];

/** The options of every operation that say how the service is called. */
const requestOptions: INodeProperties[] = [
	{
		displayName: 'Concurrent Requests',
		name: 'concurrentRequests',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: concurrency,
		description: `How many requests may be under way at once, over all items. Without this option ${startConcurrency} at first, and up to ${concurrency} while the service answers without trouble. The output stays in the order of the input. 1 does one after the other.`,
	},
	{
		displayName: 'Longest Wait (Seconds)',
		name: 'longestWait',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: longestWaitSeconds,
		description:
			'How many seconds a request may wait for the rate limit of the plan; then its item fails and says when you can try again',
	},
	{
		displayName: 'Raw Records',
		name: 'rawRecords',
		type: 'boolean',
		default: false,
		description:
			'Whether to return records as the service sent them, under its own names, even if a dialect translates them. Simplified records are always translated.',
	},
	{
		displayName: 'Timeout (Seconds)',
		name: 'timeout',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: timeoutSeconds,
		description:
			"How many seconds the service may be silent before a request fails. A transfer in progress doesn't count.",
	},
];

const label = (option: object) => ('displayName' in option ? String(option.displayName) : '');

/** The fields of an operation as the form shows them: its own, then one collection of options. */
export function listFields({ fields }: Operation): INodeProperties[] {
	const own = fields.find(({ name }) => name === 'options')?.options ?? [];
	const options: INodeProperties = {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: [...own, ...requestOptions].sort((a, b) => label(a).localeCompare(label(b))),
	};
	return [...fields.filter(({ name }) => name !== 'options'), options];
}

/** The default of a list: its first entry. */
const chooseFirst = (list: Array<{ value: string }>) => list[0]?.value ?? '';

/** What the node shows under its name in a workflow, e.g. `Create or Update: Dossier`. */
export function buildSubtitle(resources: Resource[]): string {
	const subtitles = resources.flatMap((resource) =>
		resource.operations.map(({ name, value }) => [
			`${resource.value} ${value}`,
			`${name}: ${resource.name}`,
		]),
	);
	const shown = JSON.stringify(Object.fromEntries(subtitles));
	return `={{ (${shown})[$parameter["resource"] + " " + $parameter["operation"]] }}`;
}

/** The warnings that n8n shows before an operation runs that cannot be undone. */
export function buildHints(resources: Resource[]): NodeHint[] {
	return resources.flatMap(({ value: resource, operations }) =>
		operations.flatMap(({ value: operation, caution: message, deletes }): NodeHint[] => {
			if (!message) return [];
			const chosen = { resource, operation, ...(deletes && { [deletes.field]: deletes.value }) };
			const conditions = Object.entries(chosen).map(
				([name, value]) => `$parameter["${name}"] === "${value}"`,
			);
			return [
				{
					message,
					type: 'warning',
					location: 'outputPane',
					whenToDisplay: 'beforeExecution',
					displayCondition: `={{ ${conditions.join(' && ')} }}`,
				},
			];
		}),
	);
}

/** The form of the node: the choice of a resource, of its operations, and the fields of each, shown in their place. */
export function buildForm(resources: Resource[]): INodeProperties[] {
	const resourceChoice: INodeProperties = {
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		// The most used first: n8n's list of actions has the same order.
		options: resources.map(({ name, value, description }) => ({ name, value, description })),
		default: chooseFirst(resources),
	};
	return [resourceChoice, ...resources.flatMap(buildResourceForm)];
}

function buildResourceForm({ value: resource, operations }: Resource): INodeProperties[] {
	const options: INodePropertyOptions[] = operations.map(
		({ name, value, action, description }) => ({ name, value, action, description }),
	);
	const operationChoice: INodeProperties = {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [resource] } },
		options,
		default: chooseFirst(operations),
	};
	// Resource and operation come first: n8n shows, and requires, a field as soon as it meets a condition that is an expression.
	const fields = operations.flatMap((operation) =>
		addToolFields(listFields(operation)).map((field) => ({
			...field,
			displayOptions: {
				...field.displayOptions,
				show: {
					resource: [resource],
					operation: [operation.value],
					...field.displayOptions?.show,
				},
			},
		})),
	);
	return [operationChoice, ...fields];
}
