/** A log whose pages lead nowhere loses nothing. */
import type { IDataObject } from 'n8n-workflow';
import { Translator } from '../../nodes/Dossier/dialect/translate';
import { openBudget } from '../../nodes/Dossier/trigger/poll/budget';
import type { EventApi } from '../../nodes/Dossier/trigger/poll/feed';
import { pollOnce, watchEvents } from '../../nodes/Dossier/trigger/poll/poll';
import type { PollState } from '../../nodes/Dossier/trigger/poll/poll';
import { countCalls, DEADLINE, FILTER } from './polling.mts';
import { MINUTE } from './virtualClock.mts';

let clock = { now: 0 };
beforeEach(() => void jest.spyOn(Date, 'now').mockImplementation(() => clock.now));
afterEach(() => jest.restoreAllMocks());

/** How many logs there were. Each has a limit of its own. */
let logs = 0;

/** Polls an audit log once a minute that has an entry on each page, and leads from page to page as it is told. */
class PagedLog {
	entries: IDataObject[] = [];
	/** What follows a page: another one, an empty one, or nothing. */
	lead = (at: number): number | null => (at + 1 < this.entries.length ? at + 1 : null);
	calls = 0;
	private state?: PollState;
	private readonly account = `log ${++logs}`;

	add(count: number): void {
		const created_at = new Date(clock.now).toISOString();
		for (let n = 0; n < count; n++) {
			const id = `aud_${this.entries.length}`;
			this.entries.push({ id, created_at, action: 'dossier.created', target: { id } });
		}
	}

	private async answer(_: string, { query = {} }: { query?: IDataObject } = {}) {
		this.calls++;
		const at = Number(query.cursor ?? 0);
		const from = typeof query.from === 'string' ? Date.parse(query.from) : 0;
		const shown = this.entries.filter((entry) => Date.parse(entry.created_at as string) >= from);
		const next = shown.length ? this.lead(at) : null;
		const body = {
			data: shown.slice(at, at + 1),
			next_cursor: next === null ? null : String(next),
		};
		return await Promise.resolve({ status: 200, headers: {}, body });
	}

	async poll() {
		const windows = [{ limit: 100, length: MINUTE }];
		const budget = openBudget({ account: this.account, windows }, clock.now + DEADLINE);
		const api: EventApi = {
			concurrency: 1,
			pageSize: 1,
			root: this.account,
			translator: new Translator({}),
			answer: async (...call) => await this.answer(...call),
			call: async () => await Promise.resolve({}),
		};
		const { items, errors, state } = await pollOnce(countCalls(api, budget), {
			state: this.state,
			source: 'test',
			feeds: watchEvents({ ...FILTER, events: ['dossier.created'] }),
			budget,
			warnOnce: () => undefined,
			report: () => undefined,
		});
		this.state = state;
		clock.now += MINUTE;
		return { names: items.map(({ data }) => (data as IDataObject).dossier_id), errors };
	}
}

it.each<[string, (at: number) => number]>([
	['whose pages lead in a circle', (at) => (at < 69 ? at + 1 : 3)],
	['that has empty pages without end', (at) => (at < 69 ? at + 1 : at + 1_000)],
])('A log %s gives out what it shows, fails, and loses nothing', async (_, lead) => {
	clock = { now: Date.UTC(2031, 0, 1) };
	const log = new PagedLog();
	await log.poll();
	const { lead: mended } = log;
	log.add(90);
	log.lead = lead;
	const given: unknown[] = [];
	const failures: unknown[] = [];
	for (let minute = 0; minute < 30; minute++) {
		const { names, errors } = await log.poll();
		given.push(...names);
		failures.push(...errors);
	}
	expect(given).toEqual(log.entries.slice(0, 70).map(({ id }) => id));
	expect(failures).toContainEqual(expect.objectContaining({ code: 'LIST_ENDLESS' }));
	log.lead = mended;
	for (let minute = 0; minute < 10; minute++) given.push(...(await log.poll()).names);
	expect(given).toEqual(log.entries.map(({ id }) => id));
});
