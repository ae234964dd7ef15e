import { DetailedError, hc, parseResponse } from 'hono/client';
import type { components as contract } from '../../../contract/generated/types.mts';
import type { Plan } from '../accounts/caller.mts';
import type { SeededOrganization } from '../accounts/organizations.mts';
import type { ControlApi } from '../control/api.mts';
import type { ClockState } from '../control/clock.mts';
import type { Delivery, DeliveryCounts, DeliveryWithBody } from '../control/deliveries.mts';
import type { DescribedEntry } from '../control/entries.mts';
import type { Seed } from '../control/seed/schema.mts';
import type { SwitchState } from '../control/switches.mts';
import type { NewWebhook, OwnedWebhook, Webhook } from '../control/webhooks.mts';
import type { Profile, Switches } from '../contract/switches.mts';
import type { Fault } from '../platform/fault-registry.mts';
import { isObject, readText } from '../platform/json.mts';
import type { SentMessage } from '../portal/outbox.mts';
import type { FaultPlan } from '../requests/faults.mts';
import type { LimitRule } from '../requests/limits.mts';
import type { WebhookFaultPlan } from '../webhooks/faults.mts';
import type {
	ChosenEvent,
	DeliveryQuery,
	JournalFilter,
	OutboxQuery,
	Owner,
	Range,
} from './choices.mts';

/** The address, the organizations and the operator token of a sandbox. */
interface SandboxAddress {
	/** Such as `http://127.0.0.1:4170`; the base address of the service is this followed by `/v1`. */
	url: string;
	/** The Enterprise and the Business organization that every sandbox has. */
	organizations: SeededOrganization[];
	/** The token of the operator. */
	operatorToken: string;
}

/** Where the control room is, and how requests reach it. */
interface ControlRoom {
	/** The address that the paths of its API follow. */
	baseUrl: string;
	/** @internal */
	fetch?: typeof fetch;
}

/** Sends a request, and reads its answer. Throws an Error with the sentence of a refusal. */
export const call: typeof parseResponse = async (sent) =>
	await parseResponse(sent).catch((error: unknown) => {
		const detail: unknown = error instanceof DetailedError ? error.detail : undefined;
		const body = isObject(detail) && isObject(detail.data) ? detail.data.error : undefined;
		const sentence = isObject(body) ? readText(body.message) : null;
		throw sentence === null ? error : new Error(sentence);
	});

/**
 * The control of a sandbox by a test or a script, in the same process or over HTTP. A call that the control room refuses throws an
 * Error with its sentence.
 */
export type SandboxControl = ReturnType<typeof createControl>;

/** Makes the control of a sandbox. */
export function createControl(address: SandboxAddress, room: ControlRoom) {
	const { baseUrl, ...options } = room;
	const api = hc<ControlApi>(baseUrl, options);
	return {
		...address,
		/** A further organization with keys and no data, so that tests run side by side. Default plan: enterprise. */
		createOrganization: async (
			options: { plan?: Plan; name?: string } = {},
		): Promise<SeededOrganization> => await call(api.organizations.$post({ json: options })),
		/** Every organization, the oldest first. */
		listOrganizations: async (): Promise<SeededOrganization[]> =>
			(await call(api.organizations.$get())).data,
		/** Adds organizations and records, all of them or none. Gives the organizations that the seed names. */
		seed: async (seed: Seed): Promise<SeededOrganization[]> =>
			(await call(api.seed.$post({ json: seed }))).organizations,
		/** Adds example records, to the test data unless the owner names the live data. */
		addExamples: async (
			owner: Owner,
			counts: {
				dossiers?: number;
				/** In each dossier. */
				documents?: number;
				tasks?: number;
				portal_users?: number;
			} = {},
		) => void (await call(api.examples.$post({ json: { ...owner, ...counts } }))),
		/** Goes back to the state after the first start; ends faults, clears the journal; resets switches and limits. */
		reset: async () => void (await call(api.reset.$post())),

		/** The time of the service. */
		clock: {
			read: async (): Promise<ClockState> => await call(api.clock.$get()),
			/** Moves forward, or back if `ms` is negative. */
			move: async (ms: number): Promise<ClockState> =>
				await call(api.clock.$post({ json: { ms } })),
			/** Moves to a time (ISO 8601; in UTC if it has no offset), and runs on from there. */
			set: async (time: string): Promise<ClockState> =>
				await call(api.clock.$post({ json: { set: time } })),
			/** Moves to the next attempt of a delivery, or to the next reminder of a task. */
			jump: async (to: 'next_delivery' | 'next_due_task'): Promise<ClockState> =>
				await call(api.clock.$post({ json: { to } })),
			/** Moves back to this machine's time. */
			reset: async (): Promise<ClockState> =>
				await call(api.clock.$post({ json: { reset: true } })),
		},
		switches: {
			read: async (): Promise<SwitchState> => await call(api.switches.$get()),
			/** Changes how the service answers: first to the profile, then single switches. */
			change: async ({
				profile,
				switches = {},
			}: {
				profile?: Profile;
				switches?: Partial<Switches>;
			}): Promise<SwitchState> =>
				await call(api.switches.$patch({ json: { profile, switches: { ...switches } } })),
		},
		limits: {
			/** Starts the counts again. */
			set: async (rule: LimitRule) => {
				const json =
					typeof rule === 'string'
						? { rule }
						: { per_minute: rule.perMinute, per_hour: rule.perHour };
				await call(api.limits.$put({ json }));
			},
			/** Starts the counts again, for one organization or all. */
			clear: async (organizationId?: string) =>
				void (await call(api.limits.clear.$post({ json: { organization_id: organizationId } }))),
		},
		/** Failures of requests on purpose. */
		faults: {
			/** Throws if the plan is not valid, or would do nothing. */
			add: async (plan: FaultPlan): Promise<Fault<FaultPlan>> =>
				await call(api.faults.$post({ json: plan })),
			list: async (): Promise<Fault<FaultPlan>[]> => (await call(api.faults.$get())).data,
			remove: async (id: string) => void (await call(api.faults[':id'].$delete({ param: { id } }))),
			clear: async () => void (await call(api.faults.$delete())),
		},
		/** Failures of deliveries on purpose. */
		webhookFaults: {
			/** Throws if the plan is not valid. */
			add: async (plan: WebhookFaultPlan): Promise<Fault<WebhookFaultPlan>> =>
				await call(api['webhook-faults'].$post({ json: plan })),
			list: async (): Promise<Fault<WebhookFaultPlan>[]> =>
				(await call(api['webhook-faults'].$get())).data,
			remove: async (id: string) =>
				void (await call(api['webhook-faults'][':id'].$delete({ param: { id } }))),
			clear: async () => void (await call(api['webhook-faults'].$delete())),
		},
		/** The latest requests of the service with their answers, without secrets. */
		journal: {
			/** Those that match, the newest first. With `after`, those that follow that number. Default limit: 100. */
			list: async (query: JournalFilter & Range = {}): Promise<DescribedEntry[]> =>
				(await call(api.journal.$get({ query }))).data,
			/** How many requests match. */
			count: async (filter: JournalFilter = {}): Promise<number> =>
				(await call(api.journal.count.$get({ query: filter }))).count,
			/** Throws a sentence that says what there was unless as many requests match as expected; at least one by default. */
			expect: async (
				filter: JournalFilter,
				wish: { times?: number; at_least?: number; at_most?: number } = {},
			) => void (await call(api.journal.expect.$get({ query: { ...filter, ...wish } }))),
			clear: async () => void (await call(api.journal.$delete())),
		},
		/** Mails, SMS and QR codes. */
		outbox: {
			/** The newest first, to one recipient or to everybody. Default limit: 100. */
			list: async (query: OutboxQuery = {}): Promise<SentMessage[]> =>
				(await call(api.outbox.$get({ query }))).data,
			clear: async () => void (await call(api.outbox.$delete())),
		},
		/** The webhooks of all organizations, whether or not the profile has registration. */
		webhooks: {
			list: async (): Promise<OwnedWebhook[]> => (await call(api.webhooks.$get())).data,
			create: async (
				webhook: Owner & Partial<contract['schemas']['WebhookCreate']> & { url: string },
			): Promise<NewWebhook> => await call(api.webhooks.$post({ json: webhook })),
			update: async (id: string, patch: contract['schemas']['WebhookPatch']): Promise<Webhook> =>
				await call(api.webhooks[':id'].$patch({ param: { id }, json: patch })),
			remove: async (id: string) =>
				void (await call(api.webhooks[':id'].$delete({ param: { id } }))),
			/** Sends one event to one webhook, and gives the delivery's id. Default: document.uploaded, about the newest record, or as the contract's example. */
			test: async (id: string, event: ChosenEvent = {}) =>
				(await call(api.webhooks[':id'].test.$post({ param: { id }, json: event }))).delivery_id,
			/** Emits events of an organization, as `count` writes would. */
			emit: async (owner: Owner, event: ChosenEvent & { count?: number } = {}) =>
				void (await call(api.emit.$post({ json: { ...owner, ...event } }))),
		},
		deliveries: {
			/** The newest first, with every attempt. Default: 1,000, the most. */
			list: async (filter: DeliveryQuery = {}): Promise<Delivery[]> =>
				(await call(api.deliveries.$get({ query: { per_page: 1000, ...filter } }))).data,
			/** With its body. */
			find: async (id: string): Promise<DeliveryWithBody> =>
				await call(api.deliveries[':id'].$get({ param: { id } })),
			/** Sends it again now, with all attempts ahead of it. */
			redeliver: async (id: string): Promise<DeliveryWithBody> =>
				await call(api.deliveries[':id'].redeliver.$post({ param: { id } })),
			/** Waits until nothing is due and nothing is in progress. Throws after that many milliseconds; default 10,000. */
			settle: async (timeoutMs = 10_000): Promise<DeliveryCounts> => {
				const counts = await call(api.deliveries.idle.$get({ query: { timeout: timeoutMs } }));
				if (counts.idle) return counts;
				throw new Error(`Deliveries are still in progress after ${timeoutMs} ms.`);
			},
		},
	};
}
