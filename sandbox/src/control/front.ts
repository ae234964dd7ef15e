import type { Json, JsonObject } from '../platform/json.ts';
import { isObject, readText } from '../platform/json.ts';
import type { Service } from '../service.ts';
import { isProfile, profiles, readSwitches, switchTable } from '../contract/switches.ts';
import { faultOf } from './fault-input.ts';
import { inputOf, wholeOf } from './input.ts';
import type { ControlRoom } from './room.ts';

const units = { days: 86_400_000, hours: 3_600_000, minutes: 60_000, seconds: 1000, ms: 1 };
const number = { type: 'number' };
const clockInput = inputOf({
	...Object.fromEntries(Object.keys(units).map((unit) => [unit, number])),
	set: { type: 'string', minLength: 1 },
	reset: { type: 'boolean' },
});
const switchInput = inputOf({ profile: { type: 'string' }, switches: { type: 'object' } });
const whole = { type: 'integer', minimum: 1 };
const limitInput = inputOf({
	rule: { type: 'string', enum: ['plan', 'off'] },
	per_minute: whole,
	per_hour: whole,
});
const clearInput = inputOf({ organization_id: { type: 'string' } });

/** What happens at the front door: the clock, how answers are worded, limits, faults, and what came and went. */
export const frontRoom: ControlRoom = (routes, service) => {
	const { clock, faults, journal, limits, switches } = service;
	const time = () => ({ now: clock.iso(), offset_ms: clock.offset });

	routes.get('/clock', (context) => context.json(time()));

	routes.post('/clock', async (context) => {
		const { set, reset, ...steps } = await clockInput(context.req);
		if (reset === true) clock.move(-clock.offset);
		const moment = readText(set);
		if (moment !== null) {
			if (Number.isNaN(Date.parse(moment))) throw new RangeError(`${moment} is no moment.`);
			clock.set(moment);
		}
		const ms = Object.entries(units).reduce(
			(sum, [unit, length]) => sum + Number(steps[unit] ?? 0) * length,
			0,
		);
		if (ms !== 0) clock.move(ms);
		return context.json(time());
	});

	routes.get('/switches', (context) => context.json(switchesShown(service)));

	routes.patch('/switches', async (context) => {
		const { profile, switches: single } = await switchInput(context.req);
		const set = readSwitches(Object.entries(isObject(single) ? single : {}));
		const name = readText(profile);
		if (name !== null && !isProfile(name)) {
			const names = Object.keys(profiles).join(', ');
			throw new RangeError(`There is no profile ${name}. There are ${names}.`);
		}
		Object.assign(switches, name === null ? {} : profiles[name], set);
		return context.json(switchesShown(service));
	});

	routes.get('/limits', (context) => context.json({ rule: ruleShown(service) }));

	routes.put('/limits', async (context) => {
		const { rule, per_minute, per_hour } = await limitInput(context.req);
		if (rule === 'plan' || rule === 'off') limits.rule = rule;
		else if (per_minute !== undefined && per_hour !== undefined) {
			limits.rule = { perMinute: Number(per_minute), perHour: Number(per_hour) };
		} else throw new RangeError('Give a rule (plan or off), or both per_minute and per_hour.');
		limits.clear();
		return context.json({ rule: ruleShown(service) });
	});

	routes.post('/limits/clear', async (context) => {
		const { organization_id } = await clearInput(context.req);
		limits.clear(readText(organization_id) ?? undefined);
		return context.json({ cleared: true });
	});

	routes.get('/faults', (context) => context.json({ data: faults.list() }));

	routes.post('/faults', async (context) =>
		context.json(faults.add(await faultOf(context.req, service.contract)), 201),
	);

	routes.delete('/faults', (context) => {
		faults.clear();
		return context.json({ deleted: true });
	});

	routes.delete('/faults/:id', (context) => {
		const id = context.req.param('id');
		if (!faults.remove(id)) throw new RangeError(`There is no fault ${id}.`);
		return context.json({ id, deleted: true });
	});

	routes.get('/journal', (context) => {
		const all = { otherwise: 0, least: 0, most: Number.MAX_SAFE_INTEGER };
		const after = wholeOf(context.req, 'after', all);
		const limit = wholeOf(context.req, 'limit', { otherwise: 100, least: 1, most: 500 });
		return context.json({ data: journal.list({ after, limit }) });
	});

	routes.delete('/journal', (context) => {
		journal.clear();
		return context.json({ deleted: true });
	});
};

/** Every switch with its position, what else it can be, and the assumption that it concerns. */
function switchesShown({ switches }: Service): JsonObject {
	const positions = new Map(Object.entries(switches));
	const shown = Object.entries(switchTable).map(
		([name, { assumption, values }]): [string, JsonObject] => [
			name,
			{ value: positions.get(name), values: [...values], assumption },
		],
	);
	const inForce = Object.entries(profiles).find(([, profile]) =>
		Object.entries(profile).every(([name, value]) => positions.get(name) === value),
	);
	return { profile: inForce?.[0] ?? null, switches: Object.fromEntries(shown) };
}

function ruleShown({ limits: { rule } }: Service): Json {
	return typeof rule === 'string' ? rule : { per_minute: rule.perMinute, per_hour: rule.perHour };
}
