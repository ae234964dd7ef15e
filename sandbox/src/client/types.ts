import type { components } from '../../../contract/generated/types.ts';
import type { KeyKind } from '../accounts/keys.ts';
import type { SeededOrganization } from '../accounts/organizations.ts';
import type { Plan } from '../accounts/caller.ts';
import type { Profile, Switches } from '../dialect/switches.ts';
import type { ClockState } from '../control/clock.ts';
import type { DescribedEntry } from '../control/journal.ts';
import type { Dialect } from '../dialect/dialect.ts';
import type { Fault } from '../platform/fault-registry.ts';
import type { SentMessage } from '../portal/outbox.ts';
import type { FaultPlan } from '../requests/faults.ts';
import type { LimitRule } from '../requests/limits.ts';
import type { Seed } from '../control/seed/types.ts';
import type { WebhookFaultPlan } from '../webhooks/faults.ts';

type Schemas = components['schemas'];

/** The records of an organization that one kind of key sees. */
interface Owner {
	organization_id: string;
	/** Default live. */
	environment?: KeyKind;
}

/** How many example records to add. */
interface ExampleCounts {
	/** Default 10. */
	dossiers?: number;
	/** In each dossier; default 2. */
	documents?: number;
	/** Default 0. */
	tasks?: number;
	/** Default 0. */
	portal_users?: number;
}

/** A webhook of any organization. */
export type OwnedWebhook = Schemas['Webhook'] & {
	organization_id: string;
	environment: KeyKind;
	/** What signs its deliveries: the secret, then the one that it replaced, for 24 hours. */
	secrets: string[];
};

/** Which deliveries to list; all if it is empty. */
interface DeliveryFilter {
	webhook_id?: string;
	organization_id?: string;
	event?: Schemas['EventKind'];
	event_id?: string;
	state?: Delivery['state'];
	/** Default 1,000, the most. */
	per_page?: number;
	page?: number;
}

/** A request to a receiver, and its answer. */
interface DeliveryAttempt {
	/** Counts up from 1. */
	number: number;
	/** ISO 8601, of the sandbox's clock. */
	at: string;
	url: string;
	/** Null if there was no answer. */
	status: number | null;
	/** The first 2 KiB. */
	answer: string | null;
	error: string | null;
	ms: number;
	/** The webhook faults that struck it. */
	faults: string[];
}

/** An event on its way to a webhook. */
export interface Delivery {
	id: string;
	event_id: string;
	event: Schemas['EventKind'];
	created_at: string;
	webhook_id: string;
	organization_id: string;
	environment: KeyKind;
	state: 'pending' | 'delivered' | 'failed';
	/** When the next attempt is due; null if there is none. */
	due_at: string | null;
	attempts: DeliveryAttempt[];
}

/** How many deliveries are in each state. */
export interface DeliveryCounts {
	pending: number;
	delivered: number;
	failed: number;
	/** When the next attempt is due; null if no delivery waits for one. */
	next_due_at: string | null;
}

/** How the service answers. */
export interface SwitchState {
	/** Null if the dialect or single switches differ from every profile. */
	profile: Profile | null;
	switches: Record<keyof Switches, { value: string; values: string[]; assumption: string }>;
}

/** Faults that are in force, or were. */
export interface FaultControl<Plan> {
	/** Throws if the plan is not valid, or would do nothing. */
	add(plan: Plan): Promise<Fault<Plan>>;
	list(): Promise<Fault<Plan>[]>;
	remove(id: string): Promise<void>;
	clear(): Promise<void>;
}

/**
 * The control of a sandbox by a test or a script, in the same process or over HTTP. A call that the control room refuses throws an
 * Error with its sentence.
 */
export interface SandboxControl {
	/** Such as `http://127.0.0.1:4010`; the base address of the service is this followed by `/v1`. */
	readonly url: string;
	/** The Enterprise and the Business organization that every sandbox has. */
	readonly organizations: SeededOrganization[];
	/** The token of the operator. */
	readonly operatorToken: string;
	/** A further organization with keys and no data, so that tests run side by side. Default plan: enterprise. */
	createOrganization(options?: { plan?: Plan; name?: string }): Promise<SeededOrganization>;
	/** Every organization, the oldest first. */
	listOrganizations(): Promise<SeededOrganization[]>;
	/** Adds organizations and records, all of them or none. Gives the organizations that the seed names. */
	seed(seed: Seed): Promise<SeededOrganization[]>;
	/** Adds example records. */
	addExamples(owner: Owner, counts?: ExampleCounts): Promise<void>;
	/** Goes back to the state after the first start; ends faults, clears the journal; resets switches, dialect and limits. */
	reset(): Promise<void>;

	/** The time of the service. */
	readonly clock: {
		read(): Promise<ClockState>;
		/** Moves forward, or back if `ms` is negative. */
		move(ms: number): Promise<ClockState>;
		/** Moves to a time (ISO 8601; in UTC if it has no offset), and runs on from there. */
		set(time: string): Promise<ClockState>;
		/** Moves to the next attempt of a delivery, or to the next reminder of a task. */
		jump(to: 'next_delivery' | 'next_due_task'): Promise<ClockState>;
		/** Moves back to this machine's time. */
		reset(): Promise<ClockState>;
	};
	readonly switches: {
		read(): Promise<SwitchState>;
		/** Changes how the service answers: first to the profile with its dialect, then single switches. */
		change(choice: { profile?: Profile; switches?: Partial<Switches> }): Promise<SwitchState>;
	};
	/** What the service calls things. */
	readonly dialect: {
		read(): Promise<Dialect>;
		/** `{}` is for the words of the contract. */
		set(dialect: Dialect): Promise<Dialect>;
	};
	readonly limits: {
		/** Starts the counts again. */
		set(rule: LimitRule): Promise<void>;
		/** Starts the counts again, for one organization or all. */
		clear(organizationId?: string): Promise<void>;
	};
	/** What goes wrong on purpose with requests. */
	readonly faults: FaultControl<FaultPlan>;
	/** What goes wrong on purpose with deliveries. */
	readonly webhookFaults: FaultControl<WebhookFaultPlan>;
	/** The latest requests of the service with their answers, without secrets. */
	readonly journal: {
		/** The newest first. With `after`, those that follow that number. Default limit: 100. */
		list(range?: { after?: number; limit?: number }): Promise<DescribedEntry[]>;
		clear(): Promise<void>;
	};
	/** What people were sent. */
	readonly outbox: {
		/** The newest first, to one recipient or to everybody. Default limit: 100. */
		list(range?: { to?: string; after?: number; limit?: number }): Promise<SentMessage[]>;
		clear(): Promise<void>;
	};
	/** Everything that is stored, with files, keys and clock; without journal, faults and switches. */
	readonly snapshots: {
		list(): Promise<{ name: string; taken_at: string }[]>;
		/** Takes a snapshot, and replaces one with the same name. */
		take(name: string): Promise<void>;
		restore(name: string): Promise<void>;
		remove(name: string): Promise<void>;
	};
	/** The webhooks of all organizations, whether or not the profile has registration. */
	readonly webhooks: {
		list(): Promise<OwnedWebhook[]>;
		create(
			webhook: Owner & Partial<Schemas['WebhookCreate']> & { url: string },
		): Promise<Schemas['WebhookCreated']>;
		update(id: string, patch: Schemas['WebhookPatch']): Promise<Schemas['Webhook']>;
		remove(id: string): Promise<void>;
		/** Sends one event to one webhook, and gives the delivery's id. Default: the contract's example of document.uploaded. */
		test(id: string, event?: { event?: Schemas['EventKind']; data?: object }): Promise<string>;
		/** Emits events of an organization, as `count` writes would. */
		emit(
			owner: Owner,
			event?: { event?: Schemas['EventKind']; data?: object; count?: number },
		): Promise<void>;
	};
	readonly deliveries: {
		/** The newest first, with every attempt. */
		list(filter?: DeliveryFilter): Promise<Delivery[]>;
		/** With its body. */
		find(id: string): Promise<Delivery & { body: object }>;
		/** Sends it again now, with all attempts ahead of it. */
		redeliver(id: string): Promise<Delivery>;
		/** Waits until nothing is due and nothing is in progress. Throws after that many milliseconds; default 10,000. */
		settle(timeoutMs?: number): Promise<DeliveryCounts>;
	};
}
