import { garbling, lasting, passing, SILENCE } from './misbehaviour';
import type { Misbehaviour } from './misbehaviour';
import type { Plan } from '../service/server';

/** Services that say nothing, for longer than Timeout. */
export const silent: Misbehaviour[] = (
	[
		['before headers', 'before the headers'],
		['after headers', 'after the headers'],
		['in the body', 'in the middle of the body'],
	] as const
).flatMap(([moment, name]) => [
	{
		name: `is silent ${name}, once`,
		times: 1,
		costs: 'time',
		plan: (): Plan => ({ delivery: { silent: moment } }),
		ends: passing('silent', 1),
		options: { timeout: SILENCE },
	},
	{
		name: `is always silent ${name}`,
		costs: 'time',
		plan: (): Plan => ({ delivery: { silent: moment } }),
		ends: moment === 'before headers' ? lasting('silent', 1) : garbling('silent', 1),
		options: { timeout: SILENCE },
	},
]);
