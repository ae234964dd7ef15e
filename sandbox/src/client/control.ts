import type { SeededOrganization } from '../accounts/organizations.ts';
import type { ClockState } from '../control/clock.ts';
import type { DescribedEntry } from '../control/journal.ts';
import { isObject, readText } from '../platform/json.ts';
import type { SentMessage } from '../portal/outbox.ts';
import type { LimitRule } from '../requests/limits.ts';
import type {
	Delivery,
	DeliveryCounts,
	FaultControl,
	OwnedWebhook,
	SandboxControl,
	SwitchState,
} from './types.ts';

/** Sends a request to the control room: a path below `/_sandbox/api`, and gives its answer. */
export type Send = (path: string, init: RequestInit) => Promise<Response>;

const encode = encodeURIComponent;

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The address, the organizations and the operator token of a sandbox. */
export interface SandboxAddress {
	url: string;
	organizations: SeededOrganization[];
	operatorToken: string;
}

/** Makes the control of a sandbox, which sends its requests with `send`. */
export function createControl(address: SandboxAddress, send: Send): SandboxControl {
	const call = async <T>(method: Method, path: string, body?: object): Promise<T> =>
		await callControlRoom<T>(send, method, path, body);
	const listAll = async <T>(path: string, query: object = {}): Promise<T[]> =>
		(await call<{ data: T[] }>('GET', `${path}${formatQuery(query)}`)).data;
	const moveClock = async (step: object) => await call<ClockState>('POST', '/clock', step);
	const controlFaults = <Plan extends object>(path: string): FaultControl<Plan> => ({
		add: async (plan) => await call('POST', path, plan),
		list: async () => await listAll(path),
		remove: async (id) => await call('DELETE', `${path}/${encode(id)}`),
		clear: async () => await call('DELETE', path),
	});

	return {
		...address,
		createOrganization: async (options = {}) => await call('POST', '/organizations', options),
		listOrganizations: async () => await listAll('/organizations'),
		seed: async (seed) =>
			(await call<{ organizations: SeededOrganization[] }>('POST', '/seed', seed)).organizations,
		addExamples: async (owner, counts) => await call('POST', '/examples', { ...owner, ...counts }),
		reset: async () => await call('POST', '/reset'),
		clock: {
			read: async () => await call('GET', '/clock'),
			move: async (ms) => await moveClock({ ms }),
			set: async (time) => await moveClock({ set: time }),
			jump: async (to) => await moveClock({ to }),
			reset: async () => await moveClock({ reset: true }),
		},
		switches: {
			read: async () => await call<SwitchState>('GET', '/switches'),
			change: async (choice) => await call<SwitchState>('PATCH', '/switches', choice),
		},
		dialect: {
			read: async () => await call('GET', '/dialect'),
			set: async (dialect) => await call('PUT', '/dialect', dialect),
		},
		limits: {
			set: async (rule) => await call('PUT', '/limits', describeRule(rule)),
			clear: async (organizationId) =>
				await call(
					'POST',
					'/limits/clear',
					organizationId ? { organization_id: organizationId } : {},
				),
		},
		faults: controlFaults('/faults'),
		webhookFaults: controlFaults('/webhook-faults'),
		journal: {
			list: async (range) => await listAll<DescribedEntry>('/journal', range),
			clear: async () => await call('DELETE', '/journal'),
		},
		outbox: {
			list: async (range) => await listAll<SentMessage>('/outbox', range),
			clear: async () => await call('DELETE', '/outbox'),
		},
		snapshots: {
			list: async () => await listAll('/snapshots'),
			take: async (name) => await call('PUT', `/snapshots/${encode(name)}`),
			restore: async (name) => await call('POST', `/snapshots/${encode(name)}/restore`),
			remove: async (name) => await call('DELETE', `/snapshots/${encode(name)}`),
		},
		webhooks: {
			list: async () => await listAll<OwnedWebhook>('/webhooks'),
			create: async (webhook) => await call('POST', '/webhooks', webhook),
			update: async (id, patch) => await call('PATCH', `/webhooks/${encode(id)}`, patch),
			remove: async (id) => await call('DELETE', `/webhooks/${encode(id)}`),
			test: async (id, event = {}) => {
				const path = `/webhooks/${encode(id)}/test`;
				return (await call<{ delivery_id: string }>('POST', path, event)).delivery_id;
			},
			emit: async (owner, event) => await call('POST', '/emit', { ...owner, ...event }),
		},
		deliveries: {
			list: async (filter) => await listAll<Delivery>('/deliveries', { per_page: 1000, ...filter }),
			find: async (id) => await call('GET', `/deliveries/${encode(id)}`),
			redeliver: async (id) => await call('POST', `/deliveries/${encode(id)}/redeliver`),
			settle: async (timeoutMs = 10_000) => {
				const path = `/deliveries/idle?timeout=${timeoutMs}`;
				const counts = await call<DeliveryCounts & { idle: boolean }>('GET', path);
				if (counts.idle) return counts;
				throw new Error(`Deliveries are still in progress after ${timeoutMs} ms.`);
			},
		},
	};
}

/** Calls the control room. Throws an Error with the sentence of a refusal. */
export async function callControlRoom<T>(
	send: Send,
	method: Method,
	path: string,
	body?: object,
): Promise<T> {
	const answer = await send(path, {
		method,
		...(body && {
			headers: { 'Content-Type': 'application/json' },
			body: JSON.stringify(body),
		}),
	});
	const data: unknown = await answer.json().catch(() => undefined);
	// Each caller names the shape that the route answers with.
	if (answer.ok) return data as T;
	const error = isObject(data) && isObject(data.error) ? readText(data.error.message) : null;
	throw new Error(error ?? `${method} ${path} was answered with ${answer.status}.`);
}

function describeRule(rule: LimitRule): object {
	if (typeof rule === 'string') return { rule };
	return { per_minute: rule.perMinute, per_hour: rule.perHour };
}

function formatQuery(query: object): string {
	const search = new URLSearchParams();
	for (const [name, value] of Object.entries(query)) {
		if (value !== undefined) search.set(name, String(value));
	}
	return search.size === 0 ? '' : `?${search.toString()}`;
}
