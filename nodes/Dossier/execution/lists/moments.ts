/** Filters on times. */
import { parseTime } from '../../dialect/formats';
import { asDate, isEmpty } from '../parameters';
import type { ListFilter } from './filter';

/** The bound to ask for, since a service may leave out the bound itself. */
const writeBound = (bound: string, side: Moment['side']) =>
	side === 'after' ? new Date(Date.parse(bound) - TICK).toISOString() : bound;

/** The words for a side of a bound. */
const SIDES = { after: 'at or after', before: 'before' };

/** Times that no record is after and before. */
export const IMPOSSIBLE_TIMES = {
	after: '9999-12-31T00:00:00.000Z',
	before: '1900-01-01T00:00:00.000Z',
};

/** A query parameter that compares a time. */
interface Moment {
	name: string;
	/** The field of a record with the time. */
	path: string;
	/** On which side of the bound the time must be. */
	side: 'after' | 'before';
	isOptional?: true;
}

/** The shortest time between two records that services tell apart, in ms. */
const TICK = 1;

/**
 * A filter on a time, e.g. `Created After`, which the service calls `created_after`. *After* includes the bound, *Before* does
 * not, so that one period ends where the next one begins. A service may include either: it is asked for no less than that, and
 * each record is compared.
 */
export function momentFilter(displayName: string, what: string, moment: Moment): ListFilter {
	const filter = moment.name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
	return {
		field: {
			displayName,
			name: filter,
			type: 'dateTime',
			default: '',
			description: `Only records ${what} this date and time, in the workflow's timezone`,
		},
		parse: asDate,
		conditions: (bound) => [
			{
				filter,
				compares: moment.path,
				isOptional: moment.isOptional,
				query: {
					parameter: moment.name,
					value: writeBound(String(bound), moment.side),
					impossible: IMPOSSIBLE_TIMES[moment.side],
				},
				passes: (record) => {
					const value = record[moment.path];
					if (value === null && moment.isOptional) return false;
					if (isEmpty(value)) return undefined;
					const apart = parseTime(value) - Date.parse(String(bound));
					if (Number.isNaN(apart)) return 'unreadable';
					return moment.side === 'after' ? apart >= 0 : apart < 0;
				},
				decidedBy: 'node',
			},
		],
	};
}

/** The filters on when a record was created, or a document uploaded. */
export const createdFilters = (what: 'Created' | 'Uploaded'): ListFilter[] =>
	(['after', 'before'] as const).map((side) =>
		momentFilter(
			`${what} ${side === 'after' ? 'After' : 'Before'}`,
			`${what.toLowerCase()} ${SIDES[side]}`,
			{
				name: `created_${side}`,
				path: 'created_at',
				side,
			},
		),
	);

/** The filter on when a record was last changed. */
export const updatedFilter = momentFilter('Updated After', 'changed at or after', {
	name: 'updated_after',
	path: 'updated_at',
	side: 'after',
});
