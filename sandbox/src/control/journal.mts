import type { components } from '../../../contract/generated/control.mts';
import { findUnknownFields } from '../contract/unknown-fields.mts';
import { renamesFields } from '../dialect/fields.mts';
import { namePaging } from '../dialect/lists.mts';
import type { Service } from '../service.mts';
import type { Handlers } from './operation.mts';

/** A request with the fields that the service ignored because it does not know them. */
export type DescribedEntry = components['schemas']['Request'];

/** The latest requests with their answers, and what people were sent. */
export const journalHandlers: Handlers<'/journal' | '/outbox'> = {
	// Without `after`, these are the latest requests; with it, those that follow it.
	'get /journal': ({ service, query }) => ({ data: listEntries(service, query) }),

	'delete /journal': ({ service }) => {
		service.journal.clear();
		return { deleted: true };
	},

	'get /outbox': ({ service, query }) => ({ data: service.outbox.list(query) }),

	'delete /outbox': ({ service }) => {
		service.outbox.clear();
		return { deleted: true };
	},
};

/**
 * The latest entries of the journal, newest first. Neither a body that the journal cuts nor a request in another dialect is searched for
 * unknown fields.
 */
export function listEntries(
	{ journal, contract, dialect }: Service,
	range: { after?: number | undefined; limit: number },
): DescribedEntry[] {
	// Under other names, all fields would seem unknown.
	const isSearched = !renamesFields(dialect);
	const more = Object.values(namePaging(dialect));
	return journal.list(range).map((entry) => {
		const { operation, url, request } = entry;
		const body = request.body.cut ? '' : request.body.text;
		const unknown =
			isSearched && operation !== null
				? findUnknownFields(contract, contract.operation(operation), { url, body }, more)
				: [];
		return { ...entry, unknown_fields: unknown };
	});
}
