import type { operations } from '../../../contract/generated/control.ts';
import type { Service } from '../service.ts';
import { bodyReader } from './request.ts';
import type { ControlRoutes } from './request.ts';

const units = [
	['days', 86_400_000],
	['hours', 3_600_000],
	['minutes', 60_000],
	['seconds', 1000],
	['ms', 1],
] as const;
type ClockMove = NonNullable<
	operations['clock.move']['requestBody']
>['content']['application/json'];

const readMove = bodyReader<ClockMove>('post /clock');

/** The time of the service: `GET /clock`, `POST /clock`. */
export function addClockRoutes(routes: ControlRoutes, service: Service): void {
	const { clock } = service;
	const describe = () => ({
		now: clock.iso(),
		offset_ms: clock.offset,
		next_delivery_at: formatTime(service.deliveries.nextDue()),
		next_due_task_at: formatTime(service.dueSoon.nextAt()),
	});

	routes.get('/clock', (context) => context.json(describe()));

	routes.post('/clock', async (context) => {
		const { set, reset, to, ...steps } = await readMove(context.req);
		if (reset) clock.move(-clock.offset);
		if (set !== undefined) clock.set(parseTime(set));
		if (to !== undefined) clock.set(findNext(service, to === 'next_due_task'));
		const ms = units.reduce((sum, [unit, length]) => sum + (steps[unit] ?? 0) * length, 0);
		if (ms !== 0) clock.move(ms);
		return context.json(describe());
	});
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

function formatTime(ms: number | undefined): string | null {
	return ms === undefined ? null : new Date(ms).toISOString();
}
