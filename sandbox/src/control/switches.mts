import { findProfile, nameProfile, readSwitches, switchTable } from '../contract/switches.mts';
import type { Json, JsonObject } from '../platform/json.mts';
import type { Service } from '../service.mts';
import type { Handlers } from './operation.mts';

/** How the service answers: profile, switches and rate limits. */
export const switchHandlers: Handlers<'/switches' | '/limits'> = {
	'get /switches': ({ service }) => describeSwitches(service),

	'patch /switches': ({ service, body }) => {
		const set = readSwitches(Object.entries(body.switches ?? {}));
		const profile = body.profile === undefined ? {} : findProfile(body.profile);
		Object.assign(service.switches, profile, set);
		return describeSwitches(service);
	},

	'get /limits': ({ service }) => ({ rule: describeRule(service) }),

	'put /limits': ({ service, body: { rule, per_minute, per_hour } }) => {
		const { limits } = service;
		if (rule !== undefined) limits.rule = rule;
		else if (per_minute !== undefined && per_hour !== undefined) {
			limits.rule = { perMinute: per_minute, perHour: per_hour };
		} else throw new RangeError('Give a rule (plan or off), or both per_minute and per_hour.');
		limits.clear();
		return { rule: describeRule(service) };
	},

	'post /limits/clear': ({ service, body: { organization_id } }) => {
		service.limits.clear(organization_id);
		return { cleared: true };
	},
};

/** Every switch with its position, its other positions, and the assumption that it concerns. */
function describeSwitches(service: Service): JsonObject {
	const positions = new Map(Object.entries(service.switches));
	const described = Object.entries(switchTable).map(
		([name, { assumption, values }]): [string, JsonObject] => [
			name,
			{ value: positions.get(name), values: [...values], assumption },
		],
	);
	return {
		profile: nameProfile(service.switches) ?? null,
		switches: Object.fromEntries(described),
	};
}

function describeRule({ limits: { rule } }: Service): Json {
	return typeof rule === 'string' ? rule : { per_minute: rule.perMinute, per_hour: rule.perHour };
}
