/** Lists that are not what they seem: pages that come again, cursors that lead back, short entries. */
import { carryOut } from '../service/handlers.mts';
import type { Holdings } from '../service/holdings.mts';
import { json } from '../service/replies.mts';
import type { Received, Reply } from '../service/replies.mts';
import type { Seen } from '../service/server.mts';
import type { Ending, Misbehavior, Target } from './misbehavior.mts';

const isList = ({ answer }: Target) => answer === 'list';
const isReadWhole = ({ answer, job }: Target) =>
	answer === 'list' && job.operation.endsWith('getAll');

interface Page {
	data: Array<Record<string, unknown>>;
	pagination: { page: number; has_more: boolean };
}

const read = ({ body }: Reply) => JSON.parse(body.toString()) as Page;

/** A page of the list that a request asks for, whatever page it asks for. */
function pageAt(page: number, { query, ...request }: Received, held: Holdings): Page {
	const asked = new URLSearchParams(query);
	asked.set('page', String(page));
	return read(carryOut(held, { ...request, query: asked }));
}

/** A list by cursors: the cursor of a page is its number, and each page names the next one as this says. */
const byCursor =
	(next: (page: number, more: boolean) => string | null) => (request: Received, held: Holdings) => {
		const page = Number(request.query.get('cursor') ?? 1);
		const { data, pagination } = pageAt(page, request, held);
		return json(200, { data, next_cursor: next(page, pagination.has_more) });
	};

const atMost = (most: number) => (requests: Seen[]) =>
	requests.length > most ? `${requests.length} requests were made, not ${most} at most` : undefined;

/** A list that says it goes on, and never does. */
const notContinued = (): Ending => ({ failure: 'notContinued', done: [0] });

export const lists: Misbehavior[] = [
	{
		name: 'gives pages by cursors',
		meets: isList,
		plan: () => ({ instead: byCursor((page, more) => (more ? String(page + 1) : null)) }),
		judge: atMost(4),
	},
	{
		name: 'gives the cursor of the page that was asked for',
		meets: isReadWhole,
		plan: () => ({ instead: byCursor((page) => String(page)) }),
		ends: notContinued,
		judge: atMost(3),
	},
	{
		name: 'gives cursors that lead from the second page to the first',
		meets: isReadWhole,
		plan: () => ({ instead: byCursor((page) => (page === 2 ? '1' : '2')) }),
		ends: () => ({ failure: 'endless', done: [0] }),
		judge: atMost(5),
	},
	{
		name: 'gives an empty page with a cursor before the records',
		meets: isList,
		plan: () => ({
			instead: (request, held) =>
				request.query.has('cursor')
					? byCursor((page, more) => (more ? String(page + 1) : null))(request, held)
					: json(200, { data: [], next_cursor: '1' }),
		}),
		judge: atMost(5),
	},
	{
		name: 'gives the first page for every page',
		meets: isReadWhole,
		plan: () => ({ instead: (request, held) => json(200, pageAt(1, request, held)) }),
		// The entries of the audit log that are asked for fill one page.
		ends: ({ job }) => (job.operation === 'auditLog/getAll' ? 'well' : notContinued()),
		judge: atMost(9),
	},
	{
		name: 'gives an address of the next page beside the total',
		meets: isList,
		plan: () => ({
			change: (reply, { query }) => {
				const { data, pagination } = read(reply);
				const next = pagination.has_more ? `/v1/elsewhere?page=${pagination.page + 1}` : null;
				return json(200, { data, next, total: 5, q: query.get('q') });
			},
		}),
		judge: atMost(4),
	},
	{
		name: 'gives an export in pages by cursors',
		meets: ({ job }) => job.variant === 'as items',
		plan: () => ({
			instead: ({ query }, { entries }) => {
				const from = Number(query.get('cursor') ?? 0);
				const end = from + 4;
				const more = end < entries.length;
				return json(200, {
					data: entries.slice(from, end),
					next_cursor: more ? String(end) : null,
					has_more: more,
				});
			},
		}),
		judge: (requests) =>
			requests.length > 1 ? undefined : 'only the first page of the export was asked for',
	},
	{
		name: 'gives short entries',
		meets: isList,
		plan: () => ({
			change: (reply) => {
				const { data, pagination } = read(reply);
				const short = data.map(({ id, reference, title, action }) => ({
					id,
					reference,
					title,
					action,
				}));
				return json(200, { data: short, pagination });
			},
		}),
		ends: ({ job: { operation, variant } }) =>
			variant === 'with Skip' || operation === 'document/synchronize'
				? { failure: 'uncompared', done: [0] }
				: 'well',
	},
];
