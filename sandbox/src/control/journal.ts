import { findUnknownFields } from '../contract/unknown-fields.ts';
import { renamesFields } from '../dialect/fields.ts';
import { namePaging } from '../dialect/lists.ts';
import type { JournalEntry } from '../requests/journal.ts';
import type { Service } from '../service.ts';
import { readInteger } from './request.ts';
import type { ControlRoutes } from './request.ts';

/** A request with the fields that the service ignored because it does not know them. */
export interface DescribedEntry extends JournalEntry {
	unknown_fields: string[];
}

/** The latest requests with their answers: `GET /journal`, `DELETE /journal`. */
export function addJournalRoutes(routes: ControlRoutes, service: Service): void {
	routes.get('/journal', (context) => {
		const range = { fallback: 0, min: 0, max: Number.MAX_SAFE_INTEGER };
		// Without a number, these are the latest requests; with one, those that follow it.
		const isContinued = context.req.query('after') !== undefined;
		const after = isContinued ? readInteger(context.req, 'after', range) : undefined;
		const limit = readInteger(context.req, 'limit', { fallback: 100, min: 1, max: 500 });
		return context.json({ data: listEntries(service, { after, limit }) });
	});

	routes.delete('/journal', (context) => {
		service.journal.clear();
		return context.json({ deleted: true });
	});
}

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
