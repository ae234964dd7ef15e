import { readText } from '../platform/json.ts';
import type { Service } from '../service.ts';
import { bodyReader } from './request.ts';
import type { ControlRoutes } from './request.ts';

const units = { days: 86_400_000, hours: 3_600_000, minutes: 60_000, seconds: 1000, ms: 1 };
const readMove = bodyReader({
	...Object.fromEntries(Object.keys(units).map((unit) => [unit, { type: 'number' }])),
	set: { type: 'string', minLength: 1 },
	reset: { type: 'boolean' },
});

/** The time of the service: `GET /clock`, `POST /clock`. */
export function addClockRoutes(routes: ControlRoutes, { clock }: Service): void {
	const describe = () => ({ now: clock.iso(), offset_ms: clock.offset });

	routes.get('/clock', (context) => context.json(describe()));

	routes.post('/clock', async (context) => {
		const { set, reset, ...steps } = await readMove(context.req);
		if (reset === true) clock.move(-clock.offset);
		const time = readText(set);
		if (time !== null) {
			if (Number.isNaN(Date.parse(time))) throw new RangeError(`${time} is not a time.`);
			clock.set(time);
		}
		const ms = Object.entries(units).reduce(
			(sum, [unit, length]) => sum + Number(steps[unit] ?? 0) * length,
			0,
		);
		if (ms !== 0) clock.move(ms);
		return context.json(describe());
	});
}
