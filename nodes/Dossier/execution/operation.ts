import { updateDisplayOptions } from 'n8n-workflow';
import type {
	IBinaryKeyData,
	IDataObject,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import type { Api } from '../api/client';
import type { Access } from '../api/endpoints';
import type { ItemFiles } from './binary';
import type { Parameters } from './parameters';

/** What an operation gives out for one item: one record, and files beside it. */
export interface Output {
	json: IDataObject;
	binary?: IBinaryKeyData;
}

/** Everything that an operation gets to do its work for one item. */
export interface ItemRun {
	parameters: Parameters;
	api: Api;
	files: ItemFiles;
	/**
	 * Does the work for each part of an item (each of its files, say). Where the node continues on errors, a part that
	 * fails gives an error output of its own, which begins with the part's name, and the others go on.
	 */
	each(parts: string[], work: (part: string) => Promise<Output>): Promise<Output[]>;
}

/** One operation: what the form shows, and what it does. */
export interface Operation {
	name: string;
	value: string;
	action: string;
	description: string;
	fields: INodeProperties[];
	run(run: ItemRun): Promise<Output | Output[]>;
}

export interface Resource {
	name: string;
	value: string;
	description: string;
	/** Who may call its endpoints, which decides on the credential. */
	access: Access;
	operations: Operation[];
}

/** How the service is called, the same for every operation. */
const requestOptions: INodeProperties = {
	displayName: 'Request Options',
	name: 'requestOptions',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options: [
		{
			displayName: 'Concurrent Requests',
			name: 'concurrentRequests',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 5,
			description:
				'How many items are worked on at once. The output stays in the order of the input. 1 does one after the other.',
		},
		{
			displayName: 'Longest Wait for Rate Limit',
			name: 'longestWait',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 90,
			description:
				'How many seconds a request may wait until the rate limit of the plan has room for it; then its item fails, with the time from which on there is room',
		},
		{
			displayName: 'Timeout',
			name: 'timeout',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 300,
			description:
				'How many seconds the service may be silent before a request fails. A long transfer is no silence.',
		},
	],
};

const byName = <T extends { name: string }>(list: T[]) =>
	[...list].sort((a, b) => a.name.localeCompare(b.name));

/** What is chosen at first: the entry that its list begins with, whatever order the form shows. */
const firstOf = (list: Array<{ value: string }>) => list[0]?.value ?? '';

/** The form of the node: the choice of a resource, of its operations, and the fields of each, shown in their place. */
export function formOf(resources: Resource[]): INodeProperties[] {
	const resourceChoice: INodeProperties = {
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: byName(resources).map(({ name, value, description }) => ({
			name,
			value,
			description,
		})),
		default: firstOf(resources),
	};
	return [resourceChoice, ...resources.flatMap(formOfResource), requestOptions];
}

function formOfResource({ value: resource, operations }: Resource): INodeProperties[] {
	const options: INodePropertyOptions[] = byName(operations).map(
		({ name, value, action, description }) => ({ name, value, action, description }),
	);
	const operationChoice: INodeProperties = {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [resource] } },
		options,
		default: firstOf(operations),
	};
	const fields = operations.flatMap(({ value, fields: own }) =>
		updateDisplayOptions({ show: { resource: [resource], operation: [value] } }, own),
	);
	return [operationChoice, ...fields];
}
