/** What n8n shows of the operations: the form, the subtitle, and the warnings. */
import type { INodeProperties, INodePropertyOptions, NodeHint } from 'n8n-workflow';
import { BACKGROUND_POLICY } from '../api/connection';
import { optionsField } from './fields';
import type { Operation, Resource } from './operation';
import { addToolFields } from './tool/form';

const { concurrency, longestWait, timeout } = BACKGROUND_POLICY;
const [longestWaitSeconds, timeoutSeconds] = [longestWait / 1000, timeout / 1000];

/** The options of every operation that say how the service is called. */
const requestOptions: INodeProperties[] = [
	{
		displayName: 'Concurrent Requests',
		name: 'concurrentRequests',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: concurrency,
		description: `How many requests may be under way at once, over all items. Without this option, the node finds a number that suits the service, up to ${concurrency}.`,
	},
	{
		displayName: 'Longest Wait (Seconds)',
		name: 'longestWait',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: longestWaitSeconds,
		description:
			'How many seconds a request may wait for the rate limit of the service. If it would take longer, the item fails and says when you can try again.',
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
	const options = [...own, ...requestOptions].sort((a, b) => label(a).localeCompare(label(b)));
	return [...fields.filter(({ name }) => name !== 'options'), optionsField(options)];
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
			// The switch may come as a text from an expression.
			if (deletes?.dryRun) {
				conditions.push(`String($parameter["${deletes.dryRun}"]).trim().toLowerCase() !== "true"`);
			}
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
