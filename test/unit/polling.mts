/** A poll trigger at a service that is kept in some way, over many polls, failures and kills of n8n. */
import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../nodes/Dossier/api/json';
import type { Window } from '../../nodes/Dossier/api/pace/limits';
import { isObject } from '../../nodes/Dossier/dialect/paths';
import { openBudget } from '../../nodes/Dossier/trigger/poll/budget';
import type { Budget } from '../../nodes/Dossier/trigger/poll/budget';
import type { EventApi } from '../../nodes/Dossier/trigger/poll/feed';
import { readFeeds } from '../../nodes/Dossier/trigger/poll/form';
import { pollOnce, watchEvents } from '../../nodes/Dossier/trigger/poll/poll';
import type { Polled, PollState } from '../../nodes/Dossier/trigger/poll/poll';
import type { Drawn } from './drawnServices.mts';
import { createRandom, GrowingLog } from './growingLog.mts';
import { MINUTE } from './virtualClock.mts';

export const FILTER = { otherEvents: [], dossiers: [], categories: [], runOnTest: false };

const UPLOADS = watchEvents({ ...FILTER, events: ['document.uploaded'] });
const openFeeds = (form: IDataObject) =>
	readFeeds((name, fallback) => form[name] ?? fallback, 'UTC');
const FEEDS = {
	events: UPLOADS,
	records: openFeeds({ watch: 'records', record: 'dossier' }),
	documents: openFeeds({ watch: 'records', record: 'document', searchIn: 'all' }),
};

/** What an item is about. */
function nameItem({ title, data, id }: IDataObject): string {
	const document = isObject(data) ? data.document_id : id;
	return toText(title ?? document) ?? '';
}

/** How long a poll may take, of the minute that it has. */
export const DEADLINE = 42_000;

/** The clock of the service whose trigger polls. */
let clock = { now: 0 };

/** Makes the time of this machine that of the service, in each test of a file. */
export function useServiceClock(): void {
	beforeEach(() => void jest.spyOn(Date, 'now').mockImplementation(() => clock.now));
	afterEach(() => jest.restoreAllMocks());
}

/** Counts each call as the one request that it takes here. */
export const countCalls = (api: EventApi, { note }: Budget): EventApi => ({
	...api,
	answer: async (...call) => {
		note();
		return await api.answer(...call);
	},
	call: async (...call) => {
		note();
		return await api.call(...call);
	},
});

/** How many triggers there were. Each has a limit of its own. */
let triggers = 0;

/** A trigger whose state n8n stores one batch behind, or with the run of the batch. */
export class Polling {
	readonly log: GrowingLog;
	readonly given = new Map<string, number>();
	/** What the log of n8n would say, by subject. */
	readonly warnings: string[] = [];
	windows: Window[];
	polls = 0;
	kills = 0;
	private isThrownBack = false;
	private readonly account = `service ${++triggers}`;
	private readonly drawn: Drawn;
	private readonly random: () => number;
	private newest?: PollState;
	private stored?: PollState;

	constructor(drawn: Drawn) {
		this.drawn = drawn;
		this.windows = [{ limit: drawn.limit, length: MINUTE }];
		this.random = createRandom(drawn.seed + 1);
		this.log = new GrowingLog(drawn);
		clock = this.log;
	}

	get hasBegun(): boolean {
		return (this.newest?.list?.every ?? 0) > 0;
	}

	/** Whether new records may have times from before the trigger began. */
	private get isBehind(): boolean {
		const { ahead, grain, setBack, dated } = this.drawn;
		return ahead < 0 || grain > 0 || setBack !== 'none' || dated !== 'now';
	}

	private async ask(): Promise<Polled> {
		const { account, windows } = this;
		const budget = openBudget({ account, windows }, this.log.now + DEADLINE);
		return await pollOnce(countCalls(this.log.api, budget), {
			state: this.newest,
			source: 'test',
			feeds: FEEDS[this.drawn.kind],
			budget,
			warnOnce: (_, subject = '') => void this.warnings.push(subject),
			report: () => undefined,
		});
	}

	/** Makes a poll, and waits for the next one. */
	async poll(): Promise<void> {
		const begun = this.log.now;
		this.polls++;
		const isKilled = !this.log.isCalm && this.random() < this.drawn.kills;
		if (isKilled) this.log.killIn = Math.floor(this.random() * 6);
		const before = this.newest;
		const polled = await this.ask().catch(() => undefined);
		if (isKilled && this.log.killIn < 0) {
			this.kills++;
			this.isThrownBack ||= this.hasBegun && !this.stored?.list?.every;
			this.newest = this.stored;
		} else if (polled) {
			for (const item of polled.items) {
				const name = nameItem(item);
				this.given.set(name, (this.given.get(name) ?? 0) + 1);
			}
			this.newest = polled.state;
			// n8n activates the workflow with the first poll that does not fail, and stores what that leaves.
			if (!this.stored && !polled.errors.length) this.stored = polled.state;
			else if (polled.items.length)
				this.stored = this.random() < 0.8 ? polled.state : (before ?? polled.state);
		}
		this.log.killIn = Infinity;
		this.log.now = Math.max(this.log.now, begun + this.drawn.interval);
	}

	/** The events that must have been given out and were not. */
	missing(since: number): string[] {
		return (
			this.log.entries
				.slice(since)
				.filter(({ name, isDeleted }) => !isDeleted && !this.given.has(name))
				// A trigger that is thrown back into its first reads takes for old what has no later time than those.
				.filter(({ isTimeless }) => !this.isThrownBack || !(isTimeless || this.isBehind))
				.map(({ name }) => name)
		);
	}
}
