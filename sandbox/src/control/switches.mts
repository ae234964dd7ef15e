import { z } from 'zod';
import {
	findProfile,
	nameProfile,
	profiles,
	readSwitches,
	switchTable,
} from '../contract/switches.mts';
import type { Service } from '../service.mts';
import { answer, createSection, fields, operation, takes } from './operation.mts';

const tags = ['Behavior'];

const position = z
	.strictObject({
		value: z.string(),
		values: z.array(z.string()),
		assumption: z.string().regex(/^A-\d\d$/),
	})
	.meta({ id: 'Switch' });
const switches = z
	.strictObject({
		profile: z.enum(Object.keys(profiles)).nullable(),
		switches: z.record(z.string(), position),
	})
	.meta({ id: 'Switches' });

/** The profile, null if the switches match none, and every switch. */
export type SwitchState = z.infer<typeof switches>;

const switchesAnswer = answer(
	'The profile, null if the switches match none, and the switches.',
	switches,
);
const rule = z.union([
	z.enum(['plan', 'off']),
	z.strictObject({ per_minute: z.int(), per_hour: z.int() }),
]);
const limitsAnswer = answer('The rule.', z.strictObject({ rule }));
const perWindow = z.int().min(1).optional();

/** How the service answers: profile and switches. */
const positionRoutes = createSection()
	.openapi(
		operation({
			method: 'get',
			path: '/switches',
			operationId: 'switches.read',
			summary: 'Every switch with its position and its other positions',
			tags,
			responses: { 200: switchesAnswer },
		}),
		({ json, var: { service } }) => json(describeSwitches(service), 200),
	)
	.openapi(
		operation({
			method: 'patch',
			path: '/switches',
			operationId: 'switches.change',
			summary: 'Applies a profile, then sets single switches',
			tags,
			request: {
				body: takes(
					fields({
						profile: z.string().optional(),
						switches: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
					}),
				),
			},
			responses: { 200: switchesAnswer },
		}),
		({ req, json, var: { service } }) => {
			const chosen = req.valid('json');
			const set = readSwitches(Object.entries(chosen.switches ?? {}));
			const profile = chosen.profile === undefined ? {} : findProfile(chosen.profile);
			Object.assign(service.switches, profile, set);
			return json(describeSwitches(service), 200);
		},
	);

/** How many requests are allowed. */
const limitRoutes = createSection()
	.openapi(
		operation({
			method: 'get',
			path: '/limits',
			operationId: 'limits.read',
			summary: 'The rate limits',
			tags,
			responses: { 200: limitsAnswer },
		}),
		({ json, var: { service } }) => json({ rule: describeRule(service) }, 200),
	)
	.openapi(
		operation({
			method: 'put',
			path: '/limits',
			operationId: 'limits.set',
			summary: 'Sets a rule, or both numbers for everybody; counts start again',
			tags,
			request: {
				body: takes(
					fields({
						rule: z.enum(['plan', 'off']).optional(),
						per_minute: perWindow,
						per_hour: perWindow,
					}),
				),
			},
			responses: { 200: limitsAnswer },
		}),
		({ req, json, var: { service } }) => {
			const { limits } = service;
			const { rule: chosen, per_minute: perMinute, per_hour: perHour } = req.valid('json');
			if (chosen !== undefined) limits.rule = chosen;
			else if (perMinute !== undefined && perHour !== undefined) {
				limits.rule = { perMinute, perHour };
			} else throw new RangeError('Give a rule (plan or off), or both per_minute and per_hour.');
			limits.clear();
			return json({ rule: describeRule(service) }, 200);
		},
	)
	.openapi(
		operation({
			method: 'post',
			path: '/limits/clear',
			operationId: 'limits.clear',
			summary: 'Starts the counts again, for one organization or all',
			tags,
			request: { body: takes(fields({ organization_id: z.string().optional() })) },
			responses: {
				200: answer('The counts have started again.', z.strictObject({ cleared: z.literal(true) })),
			},
		}),
		({ req, json, var: { service } }) => {
			service.limits.clear(req.valid('json').organization_id);
			return json({ cleared: true } as const, 200);
		},
	);

export const switchRoutes = createSection().route('/', positionRoutes).route('/', limitRoutes);

/** Every switch with its position, its other positions, and the assumption that it concerns. */
function describeSwitches(service: Service): SwitchState {
	const positions = new Map(Object.entries(service.switches));
	const described = Object.entries(switchTable).map(
		([name, { assumption, values }]): [string, z.infer<typeof position>] => [
			name,
			{ value: positions.get(name) ?? '', values: [...values], assumption },
		],
	);
	return {
		profile: nameProfile(service.switches) ?? null,
		switches: Object.fromEntries(described),
	};
}

function describeRule({ limits: { rule: current } }: Service): z.infer<typeof rule> {
	if (typeof current === 'string') return current;
	return { per_minute: current.perMinute, per_hour: current.perHour };
}
