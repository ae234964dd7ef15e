/** Audit logs that grow while they are read, each kept in its own way. Time passes with each call. */
import { createHash } from 'crypto';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import type { EventApi } from '../../nodes/Dossier/trigger/poll/events';
import { Translator } from '../../nodes/Dossier/dialect/translate';
import { HOUR, MINUTE, START } from './virtualClock.mts';

/** The order of a log that is not asked for one, or does not care. */
const ORDERS = ['kept', 'ascending', 'descending', 'byId', 'changing'] as const;

/** How a service keeps its log. */
const services = fc.record({
	filters: fc.boolean(),
	order: fc.constantFrom(...ORDERS),
	/** How many entries a page has at most. */
	pageSize: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 6, max: 100 })),
	continues: fc.constantFrom('numbered', 'counted', 'cursor'),
	/** How far the times of entries are ahead of the clock that the answers show. */
	ahead: fc.constantFrom(0, 0, 0, 2 * HOUR, -2 * HOUR),
	/** How late entries are shown at most. */
	late: fc.constantFrom(0, 0, MINUTE, 5 * MINUTE),
	/** One entry in so many is dated in the future, lacks its time, lacks its id, or lacks what an event needs; 0 for none. */
	future: fc.constantFrom(0, 0, 7),
	timeless: fc.constantFrom(0, 0, 9),
	nameless: fc.constantFrom(0, 0, 8),
	lacking: fc.constantFrom(0, 0, 1, 3),
	/** How often an entry is deleted between two calls. */
	deletes: fc.constantFrom(0, 0, 0.02, 0.1),
	/** How many calls of a hundred fail. */
	fails: fc.constantFrom(0, 0, 2, 10),
	/** How often n8n is killed in a poll. */
	kills: fc.constantFrom(0, 0, 0.1),
	limit: fc.oneof(fc.integer({ min: 10, max: 30 }), fc.constantFrom(100, 500)),
	/** How long n8n waits from one poll to the next. */
	interval: fc.constantFrom(MINUTE, MINUTE, HOUR),
	before: fc.integer({ min: 0, max: 60 }),
	bursts: fc.array(
		fc.record({
			size: fc.oneof(
				{ weight: 12, arbitrary: fc.integer({ min: 0, max: 60 }) },
				{ weight: 6, arbitrary: fc.integer({ min: 60, max: 600 }) },
				{ weight: 1, arbitrary: fc.integer({ min: 600, max: 5_000 }) },
			),
			/** Over how many ms it is spread; 0 for one moment. */
			length: fc.constantFrom(0, 1_000, MINUTE, HOUR),
			/** How many polls are made before the next burst. */
			polls: fc.integer({ min: 0, max: 8 }),
		}),
		{ minLength: 1, maxLength: 4 },
	),
	seed: fc.integer({ min: 1, max: 1_000_000 }),
});

export type Drawn = typeof services extends fc.Arbitrary<infer T> ? T : never;

export const drawServices = (count: number, seed: number): Drawn[] =>
	fc.sample(services, { numRuns: count, seed });

interface LogEntry {
	name: string;
	/** By the clock of the log, in ms. */
	time: number;
	shownAt: number;
	key: string;
	isTimeless: boolean;
	isDeleted: boolean;
	record: IDataObject;
}

/** The same numbers for the same seed. */
export function createRandom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state * 16_807) % 2_147_483_647;
		return state / 2_147_483_647;
	};
}

const iso = (time: number) => new Date(time).toISOString();
const hash = (text: string) => createHash('md5').update(text).digest('hex');

/** How many logs there were. Each is a service of its own. */
let logs = 0;

/** Ends a poll in the middle: the call never comes back. */
class Killed extends Error {}

export class GrowingLog {
	now = START;
	/** When calls were made. */
	readonly calls: number[] = [];
	readonly entries: LogEntry[] = [];
	/** After how many more calls n8n is killed. */
	killIn = Infinity;
	isCalm = false;
	private readonly root = `https://log${++logs}.example`;
	private readonly drawn: Drawn;
	private readonly random: () => number;
	private shown: LogEntry[] = [];
	private sorted = new Map<string, LogEntry[]>();

	constructor(drawn: Drawn) {
		this.drawn = drawn;
		this.random = createRandom(drawn.seed);
		const old = Array.from({ length: drawn.before }, () => START - this.random() * 3 * HOUR);
		for (const time of old.sort()) this.add(time, false);
	}

	/** Adds entries over some time from now on. */
	addBurst(size: number, length: number): void {
		for (let n = 0; n < size; n++) this.add(this.now + (n * length) / size, true);
	}

	private add(at: number, isNew: boolean): void {
		const { ahead, late, future, timeless, nameless, lacking } = this.drawn;
		const number = this.entries.length;
		const is = (one: number) => one > 0 && number % one === one - 1;
		const isFuture = isNew && is(future);
		const time = Math.floor(at + ahead + (isFuture ? 400 * 24 * HOUR : 0));
		const name = `doc_${number}`;
		const isTimeless = is(timeless);
		const changes = is(lacking) ? {} : { dossier_id: { to: 'dos_1' }, category: { to: 'tax' } };
		this.entries.push({
			name,
			time,
			shownAt: isNew ? at + this.random() * late : at,
			key: hash(name),
			isTimeless,
			isDeleted: false,
			record: {
				...(!is(nameless) && { id: `aud_${number}` }),
				...(!isTimeless && { created_at: iso(time) }),
				action: 'document.uploaded',
				target: { id: name },
				changes,
			},
		});
	}

	/** The entries that the service shows now, in the order of its list. */
	private list(from: string, order: string): LogEntry[] {
		const shown = this.entries.filter(
			({ shownAt, isDeleted }) => shownAt <= this.now && !isDeleted,
		);
		const isSame =
			shown.length === this.shown.length && shown.every((one, at) => one === this.shown[at]);
		if (!isSame) {
			this.shown = shown;
			this.sorted = new Map();
		}
		const name = `${from} ${order}`;
		const known = this.sorted.get(name);
		if (known) return known;
		const isAsked = this.drawn.filters && from !== '';
		const kept = shown.filter(({ time }) => !isAsked || time >= Date.parse(from));
		const sorted = this.sort(kept, order);
		this.sorted.set(name, sorted);
		return sorted;
	}

	private sort(list: LogEntry[], asked: string): LogEntry[] {
		const { order } = this.drawn;
		if (order === 'byId' || order === 'changing') {
			const salt = order === 'byId' ? '' : String(this.shown.length);
			const keys = new Map(list.map((one) => [one, salt ? hash(one.key + salt) : one.key]));
			return list.sort((a, b) => ((keys.get(a) ?? '') < (keys.get(b) ?? '') ? -1 : 1));
		}
		const isDescending = order === 'descending' || (order === 'kept' && asked === 'desc');
		list.sort((a, b) => a.time - b.time || (a.key < b.key ? -1 : 1));
		return isDescending ? list.reverse() : list;
	}

	private async begin(): Promise<void> {
		if (--this.killIn < 0) throw new Killed();
		this.calls.push(this.now);
		await Promise.resolve();
		this.now += 50 + this.random() * 400;
		const { deletes, fails } = this.drawn;
		if (this.isCalm) return;
		if (this.random() < deletes) {
			const one = this.entries[Math.floor(this.random() * this.entries.length)];
			if (one && one.shownAt <= this.now) one.isDeleted = true;
		}
		if (this.random() * 100 < fails) throw new Error('The service fails');
	}

	private answer(query: IDataObject) {
		const { pageSize, continues } = this.drawn;
		const text = (value: unknown) => (typeof value === 'string' ? value : '');
		const list = this.list(text(query.from), text(query.order));
		const size = Math.min(pageSize, Number(query.per_page ?? query.limit ?? pageSize));
		const start =
			continues === 'cursor' ? Number(query.cursor ?? 0) : (Number(query.page ?? 1) - 1) * size;
		const data = list.slice(start, start + size).map(({ record }) => record);
		const end = start + size;
		const hasMore = end < list.length;
		const about = {
			numbered: {},
			counted: {
				pagination: {
					total: list.length,
					total_pages: Math.ceil(list.length / size),
					has_more: hasMore,
				},
			},
			cursor: { next_cursor: hasMore ? String(end) : null },
		}[continues];
		const date = new Date(Math.floor(this.now / 1000) * 1000).toUTCString();
		return { status: 200, headers: { date }, body: { data, ...about } };
	}

	/** The service as a poll calls it. */
	get api(): EventApi {
		return {
			concurrency: 5,
			pageSize: 100,
			root: this.root,
			translator: new Translator({}),
			answer: async (_name, { query = {} } = {}) => {
				await this.begin();
				return this.answer(query);
			},
			call: async () => {
				await this.begin();
				return { dossier_id: 'dos_1', category: 'tax' };
			},
		};
	}
}
