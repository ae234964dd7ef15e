import type { components } from '../../../contract/generated/control.mts';
import { findUnknownFields } from '../contract/unknown-fields.mts';
import { namePaging } from '../contract/paging.mts';
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

/** The latest entries of the journal, newest first. A body that the journal cuts is not searched for unknown fields. */
export function listEntries(
	{ journal, contract, switches }: Service,
	range: { after?: number | undefined; limit: number },
): DescribedEntry[] {
	const more = Object.values(namePaging(switches.lists));
	return journal.list(range).map((entry) => {
		const { operation, url, request } = entry;
		const body = request.body.cut ? '' : request.body.text;
		const unknown =
			operation === null
				? []
				: findUnknownFields(contract, contract.operation(operation), { url, body }, more);
		return { ...entry, unknown_fields: unknown };
	});
}
