import { streamSSE } from 'hono/streaming';
import { hour, minute, second } from '../platform/clock.mts';
import type { Service } from '../service.mts';
import { countFaults } from '../control/faults.mts';
import type { PageRoutes } from './routes.mts';

/** How often the sandbox looks whether an open page has to change, in milliseconds. */
const every = 250;

/** Tells an open page, as server-sent events, when something that it may show has changed. */
export function addChanges(routes: PageRoutes): void {
	routes.get('/changes', ({ context, service }) =>
		streamSSE(context, async (stream) => {
			let before: string | undefined;
			while (!stream.aborted) {
				const now = describeState(service);
				if (now !== before) await stream.writeSSE({ event: 'change', data: '' });
				before = now;
				await stream.sleep(every);
			}
		}),
	);
}

/** A text that differs if records, requests, deliveries, faults or limits have changed, or if the strip of requests has to move. */
function describeState(service: Service): string {
	const { journal, database, clock, limits, switches } = service;
	const outcomes = journal.listOutcomes();
	const last = Date.parse(outcomes.at(-1)?.time ?? '');
	const isMoving = clock.now() - last <= minute + second;
	return JSON.stringify([
		database.changes(),
		outcomes.length,
		outcomes.at(-1),
		outcomes.filter(({ status }) => status === null).length,
		isMoving && Math.floor(clock.now() / second),
		countFaults(service),
		clock.offset,
		limits.rule,
		switches,
		Math.floor(clock.now() / hour),
	]);
}
