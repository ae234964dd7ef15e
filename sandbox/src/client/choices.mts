import type { Delivery } from '../control/deliveries.mts';
import type { JsonObject } from '../platform/json.mts';
import type { EventKind } from '../webhooks/events.mts';

/** The records of an organization that one kind of key sees; default: the live key. */
export interface Owner {
	organization_id: string;
	environment?: 'live' | 'test';
}

/** An event to send. `data`: the example of the contract, unless given. */
export interface ChosenEvent {
	event?: EventKind;
	data?: JsonObject;
}

/** Which requests to find; all fields have to match. */
export interface JournalFilter {
	/** By its name in the contract, such as `dossiers.create`. */
	operation?: string;
	method?: string;
	/** The whole path; `*` is any one segment. */
	path?: string;
	status?: number;
	organization_id?: string;
	/** A text in the address or in the body of the request. */
	contains?: string;
}

/** A part of a list. */
export interface Range {
	/** Only requests that follow this number. */
	after?: number;
	/** Default 100. */
	limit?: number;
}

export interface OutboxQuery extends Range {
	/** A mail address or a phone number. */
	to?: string;
}

export type DeliveryQuery = Partial<
	Pick<Delivery, 'webhook_id' | 'organization_id' | 'event' | 'event_id' | 'state'>
> & { page?: number; per_page?: number };
