import { parseDialect } from '../dialect/parse.ts';
import { findProfile, nameProfile, readSwitches, switchTable } from '../dialect/switches.ts';
import { parseBody } from '../http/body.ts';
import type { Json, JsonObject } from '../platform/json.ts';
import type { Service } from '../service.ts';
import { bodyReader, readBodyText } from './request.ts';
import type { ControlRoutes } from './request.ts';

const readSettings = bodyReader<{ profile?: string; switches?: object }>('patch /switches');
const readLimits = bodyReader<{ rule?: 'plan' | 'off'; per_minute?: number; per_hour?: number }>(
	'put /limits',
);
const readOrganization = bodyReader<{ organization_id?: string }>('post /limits/clear');

/** How the service answers: the profile, the dialect (`{}` is for the contract's own words), switches and rate limits. */
export function addSwitchRoutes(routes: ControlRoutes, service: Service): void {
	const { limits, switches } = service;

	routes.get('/switches', (context) => context.json(describeSwitches(service)));

	routes.patch('/switches', async (context) => {
		const { profile, switches: single } = await readSettings(context.req);
		const set = readSwitches(Object.entries(single ?? {}));
		if (profile !== undefined) {
			const chosen = findProfile(profile);
			service.dialect = chosen.dialect;
			Object.assign(switches, chosen.switches);
		}
		Object.assign(switches, set);
		return context.json(describeSwitches(service));
	});

	routes.get('/dialect', (context) => context.json(service.dialect));

	routes.put('/dialect', async (context) => {
		service.dialect = parseDialect(parseBody(await readBodyText(context.req)));
		return context.json(service.dialect);
	});

	routes.get('/limits', (context) => context.json({ rule: describeRule(service) }));

	routes.put('/limits', async (context) => {
		const { rule, per_minute, per_hour } = await readLimits(context.req);
		if (rule !== undefined) limits.rule = rule;
		else if (per_minute !== undefined && per_hour !== undefined) {
			limits.rule = { perMinute: per_minute, perHour: per_hour };
		} else throw new RangeError('Give a rule (plan or off), or both per_minute and per_hour.');
		limits.clear();
		return context.json({ rule: describeRule(service) });
	});

	routes.post('/limits/clear', async (context) => {
		const { organization_id } = await readOrganization(context.req);
		limits.clear(organization_id);
		return context.json({ cleared: true });
	});
}

/** Every switch with its position, its other positions, and the assumption that it concerns. */
function describeSwitches(service: Service): JsonObject {
	const positions = new Map(Object.entries(service.switches));
	const described = Object.entries(switchTable).map(
		([name, { assumption, values }]): [string, JsonObject] => [
			name,
			{ value: positions.get(name), values: [...values], assumption },
		],
	);
	return { profile: nameProfile(service) ?? null, switches: Object.fromEntries(described) };
}

function describeRule({ limits: { rule } }: Service): Json {
	return typeof rule === 'string' ? rule : { per_minute: rule.perMinute, per_hour: rule.perHour };
}
