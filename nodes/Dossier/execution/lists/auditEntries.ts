import { contract } from '../../dialect/contract';
import { textField } from '../fields';
import { valueFilter } from './filter';
import type { RecordList } from './filter';
import { momentFilter } from './moments';

/** The first moment of a part of the log, and the one behind it. */
export const [fromFilter, toFilter] = [
	momentFilter('From', 'since', { name: 'from', path: 'created_at', side: 'after' }),
	momentFilter('To', 'before', { name: 'to', path: 'created_at', side: 'before' }),
] as const;

/** The actions that are events, without that of the clock, and the one that A-10 names. */
const KNOWN_ACTIONS = [
	...contract.events.filter((event) => event !== 'task.due_soon'),
	'document.downloaded',
];

export const auditEntryList: RecordList = {
	endpoint: 'audit.list',
	filters: [
		{
			...valueFilter(
				'action',
				textField('Action', 'action', 'document.uploaded', 'Only entries of this action'),
			),
			known: KNOWN_ACTIONS,
		},
		valueFilter(
			'actor_id',
			textField('Actor ID', 'actorId', 'usr_2b7d9e4f', 'Only what this user or key did'),
			{ paths: ['actor.id'], isText: true },
		),
		fromFilter,
		valueFilter(
			'target_id',
			textField(
				'Target ID',
				'targetId',
				'dos_8f3k2m1q',
				'Only entries about the record with this ID',
			),
			{ paths: ['target.id'], isText: true },
		),
		valueFilter(
			'target_type',
			textField('Target Type', 'targetType', 'document', 'Only entries about records of this type'),
			{ paths: ['target.type'] },
		),
		toFilter,
	],
	simple: [
		'id',
		'action',
		'actor.type',
		'actor.id',
		'actor.name',
		'target.type',
		'target.id',
		'target.label',
		'created_at',
	],
};
