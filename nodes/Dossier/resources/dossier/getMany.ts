import type { INodeProperties } from 'n8n-workflow';
import { collect } from '../../api/pages';
import type { Operation } from '../../operation';
import { asDate, asText, bodyOf } from '../../parameters';
import type { Written } from '../../parameters';
import { amountFields, simplified, simplifyField } from '../fields';
import { assigneeField, referenceField, SIMPLE_DOSSIER, stateField, typeField } from './form';

const filters: INodeProperties = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add Filter',
	default: {},
	description: 'Which dossiers to return; all conditions must hold',
	options: [
		assigneeField,
		{
			displayName: 'Created After',
			name: 'createdAfter',
			type: 'dateTime',
			default: '',
			description: "Only those created after this moment, in the workflow's timezone",
		},
		{
			displayName: 'Created Before',
			name: 'createdBefore',
			type: 'dateTime',
			default: '',
			description: "Only those created before this moment, in the workflow's timezone",
		},
		{ ...referenceField, description: 'Only the dossier with exactly this reference' },
		{
			displayName: 'Search',
			name: 'search',
			type: 'string',
			default: '',
			placeholder: 'e.g. tax return',
			description: 'Only those that contain these words',
		},
		{ ...stateField, description: 'Only those in this state' },
		typeField,
		{
			displayName: 'Updated After',
			name: 'updatedAfter',
			type: 'dateTime',
			default: '',
			description: "Only those changed after this moment, in the workflow's timezone",
		},
	],
};

const sorting: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options: [
		{
			displayName: 'Order',
			name: 'order',
			type: 'options',
			default: 'asc',
			options: [
				{ name: 'Ascending', value: 'asc' },
				{ name: 'Descending', value: 'desc' },
			],
			description: 'Which way to sort',
		},
		{
			displayName: 'Sort By',
			name: 'sort',
			type: 'options',
			default: 'created_at',
			options: [
				{ name: 'Created At', value: 'created_at' },
				{ name: 'Due At', value: 'due_at' },
				{ name: 'Reference', value: 'reference' },
				{ name: 'Title', value: 'title' },
				{ name: 'Updated At', value: 'updated_at' },
			],
			description: 'What to sort by',
		},
	],
};

/** */
const query: Record<string, Written> = {
	assigneeId: { as: 'assignee_id', label: 'Assignee ID', read: asText },
	createdAfter: { as: 'created_after', label: 'Created After', read: asDate },
	createdBefore: { as: 'created_before', label: 'Created Before', read: asDate },
	reference: { as: 'reference', label: 'Reference', read: asText },
	search: { as: 'q', label: 'Search', read: asText },
	status: { as: 'status', label: 'Status', read: asText },
	type: { as: 'type', label: 'Type', read: asText },
	updatedAfter: { as: 'updated_after', label: 'Updated After', read: asDate },
	order: { as: 'order', label: 'Order', read: asText },
	sort: { as: 'sort', label: 'Sort By', read: asText },
};

export const getMany: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many dossiers',
	description: 'List dossiers, all of them or those that match',
	fields: [...amountFields, filters, simplifyField, sorting],
	async run({ parameters, api }) {
		const chosen = { ...parameters.collection('filters'), ...parameters.collection('options') };
		const dossiers = await collect(
			api,
			'dossiers.list',
			{ query: bodyOf(chosen, query, parameters.timezone) },
			parameters.limit(),
		);
		return dossiers.map((dossier) =>
			parameters.flag('simplify') ? simplified(dossier, SIMPLE_DOSSIER) : { json: dossier },
		);
	},
};
