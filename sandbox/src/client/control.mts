import createClient from 'openapi-fetch';
import type { components, operations, paths } from '../../../contract/generated/control.mts';
import type { components as contract } from '../../../contract/generated/types.mts';
import type { SeededOrganization } from '../accounts/organizations.mts';
import type { Seed } from '../control/seed/types.mts';
import type { Profile, Switches } from '../contract/switches.mts';
import { isObject, readText } from '../platform/json.mts';
import type { LimitRule } from '../requests/limits.mts';

type Schemas = components['schemas'];

/** What an operation of the control room takes. */
type Body<Id extends keyof operations> = NonNullable<
	operations[Id]['requestBody']
>['content']['application/json'];
type Query<Id extends keyof operations> = NonNullable<operations[Id]['parameters']['query']>;

/** The records of an organization that one kind of key sees; default: the live key. */
type Owner = Pick<Body<'events.emit'>, 'organization_id' | 'environment'>;

type DeliveryFilter = Query<'deliveries.list'> &
	Partial<Pick<Schemas['Delivery'], 'event' | 'state'>>;

/** The address, the organizations and the operator token of a sandbox. */
interface SandboxAddress {
	/** Such as `http://127.0.0.1:4010`; the base address of the service is this followed by `/v1`. */
	url: string;
	/** The Enterprise and the Business organization that every sandbox has. */
	organizations: SeededOrganization[];
	/** The token of the operator. */
	operatorToken: string;
}

/** The paths of the control room, without what they begin with. */
type ApiPaths = {
	[Path in keyof paths as Path extends `/_sandbox/api${infer Rest}` ? Rest : never]: paths[Path];
};

/** Where the control room is, and what sends the requests to it. */
interface ControlRoom {
	/** What the paths of its API follow. */
	baseUrl: string;
	/** @internal */
	fetch?: (request: Request) => Promise<Response>;
}

export function openClient(room: ControlRoom) {
	return createClient<ApiPaths>(room);
}

/**
 * The control of a sandbox by a test or a script, in the same process or over HTTP. A call that the control room refuses throws an
 * Error with its sentence.
 */
export type SandboxControl = ReturnType<typeof createControl>;

/** Makes the control of a sandbox. */
export function createControl(address: SandboxAddress, room: ControlRoom) {
	const { GET, POST, PUT, PATCH, DELETE } = openClient(room);
	const path = <Names extends object>(names: Names) => ({ params: { path: names } });
	const moveClock = async (body: Body<'clock.move'>): Promise<Schemas['Clock']> =>
		await readAnswer(POST('/clock', { body }));

	return {
		...address,
		/** A further organization with keys and no data, so that tests run side by side. Default plan: enterprise. */
		createOrganization: async (
			options: Body<'organizations.create'> = {},
		): Promise<SeededOrganization> => await readAnswer(POST('/organizations', { body: options })),
		/** Every organization, the oldest first. */
		listOrganizations: async (): Promise<SeededOrganization[]> =>
			(await readAnswer(GET('/organizations'))).data,
		/** Adds organizations and records, all of them or none. Gives the organizations that the seed names. */
		seed: async (seed: Seed): Promise<SeededOrganization[]> =>
			(await readAnswer(POST('/seed', { body: seed }))).organizations,
		/** Adds example records. */
		addExamples: async (
			owner: Owner,
			counts: Omit<Body<'sandbox.addExamples'>, keyof Owner> = {},
		) => void (await readAnswer(POST('/examples', { body: { ...owner, ...counts } }))),
		/** Goes back to the state after the first start; ends faults, clears the journal; resets switches and limits. */
		reset: async () => void (await readAnswer(POST('/reset'))),

		/** The time of the service. */
		clock: {
			read: async (): Promise<Schemas['Clock']> => await readAnswer(GET('/clock')),
			/** Moves forward, or back if `ms` is negative. */
			move: async (ms: number): Promise<Schemas['Clock']> => await moveClock({ ms }),
			/** Moves to a time (ISO 8601; in UTC if it has no offset), and runs on from there. */
			set: async (time: string): Promise<Schemas['Clock']> => await moveClock({ set: time }),
			/** Moves to the next attempt of a delivery, or to the next reminder of a task. */
			jump: async (to: 'next_delivery' | 'next_due_task'): Promise<Schemas['Clock']> =>
				await moveClock({ to }),
			/** Moves back to this machine's time. */
			reset: async (): Promise<Schemas['Clock']> => await moveClock({ reset: true }),
		},
		switches: {
			read: async (): Promise<Schemas['Switches']> => await readAnswer(GET('/switches')),
			/** Changes how the service answers: first to the profile, then single switches. */
			change: async (choice: {
				profile?: Profile;
				switches?: Partial<Switches>;
			}): Promise<Schemas['Switches']> => await readAnswer(PATCH('/switches', { body: choice })),
		},
		limits: {
			/** Starts the counts again. */
			set: async (rule: LimitRule) => {
				const body =
					typeof rule === 'string'
						? { rule }
						: { per_minute: rule.perMinute, per_hour: rule.perHour };
				await readAnswer(PUT('/limits', { body }));
			},
			/** Starts the counts again, for one organization or all. */
			clear: async (organizationId?: string) => {
				const body = organizationId === undefined ? {} : { organization_id: organizationId };
				await readAnswer(POST('/limits/clear', { body }));
			},
		},
		/** What goes wrong on purpose with requests. */
		faults: {
			/** Throws if the plan is not valid, or would do nothing. */
			add: async (plan: Schemas['FaultPlan']): Promise<Schemas['Fault']> =>
				await readAnswer(POST('/faults', { body: plan })),
			list: async (): Promise<Schemas['Fault'][]> => (await readAnswer(GET('/faults'))).data,
			remove: async (id: string) => void (await readAnswer(DELETE('/faults/{id}', path({ id })))),
			clear: async () => void (await readAnswer(DELETE('/faults'))),
		},
		/** What goes wrong on purpose with deliveries. */
		webhookFaults: {
			/** Throws if the plan is not valid. */
			add: async (plan: Schemas['WebhookFaultPlan']): Promise<Schemas['WebhookFault']> =>
				await readAnswer(POST('/webhook-faults', { body: plan })),
			list: async (): Promise<Schemas['WebhookFault'][]> =>
				(await readAnswer(GET('/webhook-faults'))).data,
			remove: async (id: string) =>
				void (await readAnswer(DELETE('/webhook-faults/{id}', path({ id })))),
			clear: async () => void (await readAnswer(DELETE('/webhook-faults'))),
		},
		/** The latest requests of the service with their answers, without secrets. */
		journal: {
			/** The newest first. With `after`, those that follow that number. Default limit: 100. */
			list: async (query: Query<'journal.list'> = {}) =>
				(await readAnswer(GET('/journal', { params: { query } }))).data,
			clear: async () => void (await readAnswer(DELETE('/journal'))),
		},
		/** What people were sent. */
		outbox: {
			/** The newest first, to one recipient or to everybody. Default limit: 100. */
			list: async (query: Query<'outbox.list'> = {}): Promise<Schemas['Message'][]> =>
				(await readAnswer(GET('/outbox', { params: { query } }))).data,
			clear: async () => void (await readAnswer(DELETE('/outbox'))),
		},
		/** Everything that is stored, with files, keys and clock; without journal, faults and switches. */
		snapshots: {
			list: async (): Promise<Schemas['Snapshot'][]> => (await readAnswer(GET('/snapshots'))).data,
			/** Takes a snapshot, and replaces one with the same name. */
			take: async (name: string) =>
				void (await readAnswer(PUT('/snapshots/{name}', path({ name })))),
			restore: async (name: string) =>
				void (await readAnswer(POST('/snapshots/{name}/restore', path({ name })))),
			remove: async (name: string) =>
				void (await readAnswer(DELETE('/snapshots/{name}', path({ name })))),
		},
		/** The webhooks of all organizations, whether or not the profile has registration. */
		webhooks: {
			list: async (): Promise<Schemas['OwnedWebhook'][]> =>
				(await readAnswer(GET('/webhooks'))).data,
			create: async (
				webhook: Owner & Partial<contract['schemas']['WebhookCreate']> & { url: string },
			): Promise<Schemas['NewWebhook']> => await readAnswer(POST('/webhooks', { body: webhook })),
			update: async (
				id: string,
				patch: contract['schemas']['WebhookPatch'],
			): Promise<Schemas['Webhook']> =>
				await readAnswer(PATCH('/webhooks/{id}', { ...path({ id }), body: patch })),
			remove: async (id: string) => void (await readAnswer(DELETE('/webhooks/{id}', path({ id })))),
			/** Sends one event to one webhook, and gives the delivery's id. Default: the contract's example of document.uploaded. */
			test: async (id: string, event: Body<'webhooks.test'> = {}) =>
				(await readAnswer(POST('/webhooks/{id}/test', { ...path({ id }), body: event })))
					.delivery_id,
			/** Emits events of an organization, as `count` writes would. */
			emit: async (owner: Owner, event: Omit<Body<'events.emit'>, keyof Owner> = {}) =>
				void (await readAnswer(POST('/emit', { body: { ...owner, ...event } }))),
		},
		deliveries: {
			/** The newest first, with every attempt. Default: 1,000, the most. */
			list: async (filter: DeliveryFilter = {}): Promise<Schemas['Delivery'][]> => {
				const query = { per_page: 1000, ...filter };
				return (await readAnswer(GET('/deliveries', { params: { query } }))).data;
			},
			/** With its body. */
			find: async (id: string): Promise<Schemas['DeliveryWithBody']> =>
				await readAnswer(GET('/deliveries/{id}', path({ id }))),
			/** Sends it again now, with all attempts ahead of it. */
			redeliver: async (id: string): Promise<Schemas['DeliveryWithBody']> =>
				await readAnswer(POST('/deliveries/{id}/redeliver', path({ id }))),
			/** Waits until nothing is due and nothing is in progress. Throws after that many milliseconds; default 10,000. */
			settle: async (timeoutMs = 10_000): Promise<Schemas['Counts']> => {
				const query = { timeout: timeoutMs };
				const counts = await readAnswer(GET('/deliveries/idle', { params: { query } }));
				if (counts.idle) return counts;
				throw new Error(`Deliveries are still in progress after ${timeoutMs} ms.`);
			},
		},
	};
}

/** The content of an answer. Throws an Error with the sentence of a refusal. */
export async function readAnswer<T>(
	answer: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<T> {
	const { data, error, response } = await answer;
	if (data !== undefined) return data;
	const sentence = isObject(error) && isObject(error.error) ? readText(error.error.message) : null;
	throw new Error(sentence ?? `The control room answered with ${response.status}.`);
}
