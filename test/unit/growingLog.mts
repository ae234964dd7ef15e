/** Audit logs and lists of dossiers that grow while they are read, each kept in its own way. Time passes with each call. */
import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import type { EventApi } from '../../nodes/Dossier/trigger/poll/feed';
import { Translator } from '../../nodes/Dossier/dialect/translate';
import type { Drawn } from './drawnServices.mts';
import { DAY, HOUR, START } from './virtualClock.mts';

interface LogEntry {
	name: string;
	/** By the clock of the log, in ms: what the record shows, and what the service filters and sorts by. */
	time: number;
	position: number;
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

/** A time as a service writes it. */
function writeTime(time: number, { grain, isZoneWritten }: Drawn): string {
	const text = new Date(time).toISOString();
	if (isZoneWritten) return text;
	return grain === DAY ? text.slice(0, 10) : text.slice(0, -1);
}

const hash = (text: string) => createHash('md5').update(text).digest('hex');

const YEAR = 365 * DAY;

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
	/** By how much the clocks were set back, in ms. */
	private readonly behind = { records: 0, answers: 0 };
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

	/** Sets the clocks back that are set back here. */
	setBack(): void {
		const { setBack } = this.drawn;
		if (setBack !== 'none') this.behind.records = HOUR;
		if (setBack === 'both') this.behind.answers = HOUR;
	}

	/** How long before it is made a dossier is dated, in ms. */
	private predate(number: number): number {
		const { kind, dated } = this.drawn;
		if (kind !== 'records' || dated === 'now') return 0;
		if (dated === 'reverse') return 3 * YEAR + 2 * number * HOUR;
		return number % 3 ? 0 : Math.floor(this.random() * 10 * YEAR);
	}

	private add(at: number, isNew: boolean): void {
		const { kind, ahead, grain, late, future, timeless, nameless, lacking } = this.drawn;
		const number = this.entries.length;
		const is = (one: number) => one > 0 && number % one === one - 1;
		const isFuture = isNew && is(future);
		const made = Math.floor(at + ahead - this.behind.records);
		const exact = made + (isFuture ? 400 * DAY : -this.predate(number));
		const time = grain ? exact - (exact % grain) : exact;
		const name = `doc_${number}`;
		const isTimeless = is(timeless);
		const changes = is(lacking) ? {} : { dossier_id: { to: 'dos_1' }, category: { to: 'tax' } };
		const entry = { action: 'document.uploaded', target: { id: name }, changes };
		this.entries.push({
			name,
			time,
			position: this.drawn.ordersByMaking ? made : time,
			shownAt: isNew ? at + this.random() * late : at,
			key: hash(name),
			isTimeless,
			isDeleted: false,
			record: {
				...(!is(nameless) && { id: `aud_${number}` }),
				...(!isTimeless && { created_at: writeTime(time, this.drawn) }),
				...(kind === 'records' ? { title: name } : entry),
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
		const kept = shown.filter(({ position }) => !isAsked || position >= Date.parse(from));
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
		list.sort((a, b) => a.position - b.position || (a.key < b.key ? -1 : 1));
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
		const list = this.list(text(query.from ?? query.created_after), text(query.order));
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
		const date = new Date(this.now - this.behind.answers).toUTCString();
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
			call: async (_name, { id } = {}) => {
				await this.begin();
				return { id, dossier_id: 'dos_1', category: 'tax' };
			},
		};
	}
}
