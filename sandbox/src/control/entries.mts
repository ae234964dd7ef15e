import { z } from 'zod';
import { namePaging } from '../contract/paging.mts';
import { findUnknownFields } from '../contract/unknown-fields.mts';
import type { JournalEntry } from '../requests/journal.mts';
import type { Service } from '../service.mts';
import { ControlRefusal } from './operation.mts';

/** A request with the fields that the service ignored because it does not know them. */
export interface DescribedEntry extends JournalEntry {
	unknown_fields: string[];
}

/** Which requests to find, as parameters of a query; all have to match. */
export const entryFilter = {
	operation: z
		.string()
		.describe('By its name in the contract, such as `dossiers.create`.')
		.optional(),
	method: z.string().optional(),
	path: z.string().describe('The whole path; `*` is any one segment.').optional(),
	status: z.coerce.number<number>().int().optional(),
	organization_id: z.string().optional(),
	contains: z.string().describe('A text in the address or in the body of the request.').optional(),
};

const filterObject = z.object(entryFilter);
type EntryFilter = z.infer<typeof filterObject>;

/** The most entries that the journal gives. */
const all = 500;

/** The latest entries of the journal that match, the newest first; with `after`, those that follow this number without a gap. */
export function listEntries(
	service: Service,
	{ after, limit, ...filter }: EntryFilter & { after?: number | undefined; limit: number },
): DescribedEntry[] {
	const found = findEntries(service, filter, after);
	return addUnknownFields(
		service,
		after === undefined ? found.slice(0, limit) : found.slice(-limit),
	);
}

export function countEntries(service: Service, filter: EntryFilter): number {
	return findEntries(service, filter).length;
}

/**
 * How many entries match. Throws 422 with a sentence that says what there was if they are fewer than `least` or more than `most`; without
 * both, at least one is expected.
 */
export function expectEntries(
	service: Service,
	filter: EntryFilter,
	{ least, most }: { least: number | undefined; most: number | undefined },
): number {
	const count = countEntries(service, filter);
	const fewest = least ?? (most === undefined ? 1 : 0);
	if (most !== undefined && !service.journal.isComplete) {
		throw unmet(`The journal keeps the latest ${all} requests and had more. Clear it first.`);
	}
	if (count >= fewest && count <= (most ?? count)) return count;
	const bounds = most === undefined ? `at least ${fewest}` : `${fewest} to ${most}`;
	const wish = fewest === most ? String(most) : bounds;
	const named = Object.entries(filter).map(([name, value]) => `${name} ${String(value)}`);
	const what = named.length > 0 ? ` with ${named.join(', ')}` : '';
	const noun = /\b1$/.test(wish) ? 'request' : 'requests';
	throw unmet(`Expected ${wish} ${noun}${what}. Found ${count}. ${summarize(service)}`);
}

function unmet(sentence: string): ControlRefusal {
	return new ControlRefusal(422, 'EXPECTATION_NOT_MET', sentence);
}

/** What the journal has: `The journal has: 2 × dossiers.create 201, 1 × POST /v1/dossier 404.` */
function summarize({ journal }: Service): string {
	const counts = new Map<string, number>();
	for (const { operation, method, url, status } of journal.list({ limit: all }).reverse()) {
		const what = `${operation ?? `${method} ${readPath(url)}`} ${status ?? 'unanswered'}`;
		counts.set(what, (counts.get(what) ?? 0) + 1);
	}
	const listed = [...counts].map(([what, count]) => `${count} × ${what}`);
	return `The journal has: ${listed.join(', ') || 'no request'}.`;
}

function findEntries(
	{ journal, contract }: Service,
	filter: EntryFilter,
	after?: number,
): JournalEntry[] {
	if (filter.operation !== undefined) contract.assertKnown(filter.operation);
	return journal.list({ after, limit: all }).filter((entry) => matches(entry, filter));
}

function matches(entry: JournalEntry, filter: EntryFilter): boolean {
	const { method, path, contains, organization_id: owner } = filter;
	return (
		(filter.operation ?? entry.operation) === entry.operation &&
		(method === undefined || method.toUpperCase() === entry.method) &&
		(path === undefined || matchesPath(readPath(entry.url), path)) &&
		(filter.status ?? entry.status) === entry.status &&
		(owner === undefined || entry.caller?.organization_id === owner) &&
		(contains === undefined || `${entry.url}\n${entry.request.body.text}`.includes(contains))
	);
}

function readPath(url: string): string {
	return url.replace(/\?.*$/s, '');
}

function matchesPath(path: string, wanted: string): boolean {
	const [parts, wishes] = [path.split('/'), wanted.split('/')];
	return (
		parts.length === wishes.length && wishes.every((wish, at) => wish === '*' || wish === parts[at])
	);
}

/** A body that the journal cuts is not searched for unknown fields. */
function addUnknownFields(
	{ contract, switches }: Service,
	entries: JournalEntry[],
): DescribedEntry[] {
	const more = Object.values(namePaging(switches.lists));
	return entries.map((entry) => {
		const { operation: id, url, request } = entry;
		const body = request.body.cut ? '' : request.body.text;
		const unknown =
			id === null ? [] : findUnknownFields(contract, contract.operation(id), { url, body }, more);
		return { ...entry, unknown_fields: unknown };
	});
}
