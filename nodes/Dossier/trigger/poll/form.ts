import { updateDisplayOptions } from 'n8n-workflow';
import type { INodeProperties } from 'n8n-workflow';
import { optionsField } from '../../execution/fields';
import { addDetailsField, downloadFields, eventsField, filtersField } from '../form';
import { recordFields } from './records';

/** The form of the poll trigger. n8n puts the poll times before it. */
export const pollForm: INodeProperties[] = [
	{
		displayName: 'Watch',
		name: 'watch',
		type: 'options',
		default: 'events',
		options: [
			{ name: 'Events', value: 'events', description: 'What happens, as the webhooks tell it' },
			{ name: 'New Records', value: 'records', description: 'Records that are new in a list' },
		],
		description: 'What the workflow runs for',
	},
	...updateDisplayOptions({ show: { watch: ['events'] } }, [
		{
			displayName:
				'A poll costs one request if nothing is new, and one more for each uploaded document. If Task Due Soon is chosen, tasks are looked at every ten minutes, for one more. If the service can reach your n8n, take the Dossier Trigger: it starts at once and costs none.',
			name: 'costNotice',
			type: 'notice',
			default: '',
		},
		eventsField,
		filtersField,
		...downloadFields,
		optionsField([addDetailsField]),
	]),
	...recordFields,
];
