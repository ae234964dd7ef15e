import { z } from 'zod';
import type { Service } from '../service.mts';
import { answer, createSection, fields, operation, takes, time } from './operation.mts';

const units = [
	['days', 86_400_000],
	['hours', 3_600_000],
	['minutes', 60_000],
	['seconds', 1000],
	['ms', 1],
] as const;

const step = z.number().optional();

const clockSchema = z
	.strictObject({
		now: time,
		offset_ms: z.number().describe("How far it is ahead of this machine's."),
		next_delivery_at: time.nullable(),
		next_due_task_at: time.nullable(),
	})
	.meta({ id: 'Clock' });

export type ClockState = z.infer<typeof clockSchema>;

const clockAnswer = answer('The time.', clockSchema);

/** The time of the service. */
export const clockRoutes = createSection()
	.openapi(
		operation({
			method: 'get',
			path: '/clock',
			operationId: 'clock.read',
			summary: 'The time of the service',
			tags: ['Behavior'],
			responses: { 200: clockAnswer },
		}),
		({ json, var: { service } }) => json(describeClock(service), 200),
	)
	.openapi(
		operation({
			method: 'post',
			path: '/clock',
			operationId: 'clock.move',
			summary:
				"Moves the clock by a span, sets it, jumps to what is next, or goes back to this machine's time",
			tags: ['Behavior'],
			request: {
				body: takes(
					fields({
						days: step,
						hours: step,
						minutes: step,
						seconds: step,
						ms: step,
						set: z.string().min(1).describe('A time, in UTC if it has no offset.').optional(),
						reset: z.boolean().optional(),
						to: z.enum(['next_delivery', 'next_due_task']).optional(),
					}),
				),
			},
			responses: { 200: clockAnswer },
		}),
		({ req, json, var: { service } }) => {
			const { clock } = service;
			const { set, reset, to, ...steps } = req.valid('json');
			if (reset) clock.move(-clock.offset);
			if (set !== undefined) clock.set(parseTime(set));
			if (to !== undefined) clock.set(findNext(service, to === 'next_due_task'));
			const ms = units.reduce((sum, [unit, length]) => sum + (steps[unit] ?? 0) * length, 0);
			if (ms !== 0) clock.move(ms);
			return json(describeClock(service), 200);
		},
	);

function describeClock({ clock, deliveries, dueSoon }: Service): ClockState {
	return {
		now: clock.iso(),
		offset_ms: clock.offset,
		next_delivery_at: formatTime(deliveries.nextDue()),
		next_due_task_at: formatTime(dueSoon.nextAt()),
	};
}

/** A time as ISO 8601 in UTC. A time without an offset is in UTC. */
function parseTime(text: string): string {
	const hasOffset = !text.includes('T') || /(z|[+-]\d\d:?\d\d)$/i.test(text);
	const ms = Date.parse(hasOffset ? text : `${text}Z`);
	if (Number.isNaN(ms)) throw new RangeError(`${text} is not a time.`);
	return new Date(ms).toISOString();
}

function findNext({ deliveries, dueSoon }: Service, isTask: boolean): string {
	const next = formatTime(isTask ? dueSoon.nextAt() : deliveries.nextDue());
	if (next !== null) return next;
	throw new RangeError(isTask ? 'No task becomes due.' : 'No delivery waits for its next attempt.');
}

/** A moment in milliseconds since 1970 as ISO 8601; null for none. */
export function formatTime(ms: number | undefined): string | null {
	return ms === undefined ? null : new Date(ms).toISOString();
}
