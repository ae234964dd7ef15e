/** New records of services whose times say less than when a record was made: each starts a workflow once. */
import type { IDataObject } from 'n8n-workflow';
import { answerJson, shortenPauses, useFakes } from './fakeService.mts';
import { openPolling } from './pollHost.mts';

shortenPauses();

const fake = useFakes();

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Far from the clock of this machine, which no poll may rely on. */
const START = Date.UTC(2031, 9, 26, 11, 30);

const iso = (time: number) => new Date(time).toISOString();

/** How a service dates its dossiers, which come once a minute. */
interface Dating {
	/** The fields of a dossier that was made at a time; `n` counts the new ones. */
	write: (time: number, n: number) => string;
	/** How far the clock of the answers is set back before the new dossiers. */
	setBack?: number;
}

/** A service with some dossiers, which filters and sorts by the text that they show. */
async function openService(write: Dating['write'], count: number, isSparse = false) {
	const state = { now: START, behind: 0 };
	const dossiers = Array.from({ length: count }, (_, n) => ({
		id: `old_${n}`,
		created_at: write(START - (count - n) * MINUTE, -1),
	}));
	const show = ({ id, created_at }: { id: string; created_at: string }): IDataObject =>
		isSparse ? { id } : { id, created_at };
	const { credential, requests } = await fake((_, response, { query }) => {
		const from = query.get('created_after') ?? '';
		const sign = query.get('order') === 'desc' ? -1 : 1;
		const page = Number(query.get('page') ?? 1);
		const size = Number(query.get('per_page') ?? 25);
		const kept = dossiers
			.filter(({ created_at }) => created_at >= from.slice(0, created_at.length))
			.sort((a, b) => sign * a.created_at.localeCompare(b.created_at));
		response.setHeader('Date', new Date(state.now - state.behind).toUTCString());
		answerJson(response, 200, {
			data: kept.slice(page * size - size, page * size).map(show),
			pagination: { total: kept.length, has_more: page * size < kept.length },
		});
	});
	const host = openPolling({
		credential,
		parameters: { watch: 'records', record: 'dossier', recordFilters: {} },
	});
	return {
		state,
		requests,
		add: (n: number, dating = write) =>
			void dossiers.push({ id: `new_${n}`, created_at: dating(state.now, n) }),
		/** Polls once, a minute later. */
		poll: async () => {
			state.now += MINUTE;
			return (await host.poll()).map(({ json }) => json.id);
		},
	};
}

const DATINGS: Array<[string, Dating]> = [
	['have only a day', { write: (time) => iso(time).slice(0, 10) }],
	['have only an hour', { write: (time) => `${iso(time).slice(0, 13)}:00:00Z` }],
	['have only a day, five hours behind', { write: (time) => iso(time - 5 * HOUR).slice(0, 10) }],
	[
		'are those of old letters',
		{ write: (time, n) => (n < 0 ? iso(time) : iso(time - ((n * 7) % 11) * 300 * DAY - DAY)) },
	],
	['are ahead by years, also those of old ones', { write: (time) => iso(time + 900 * DAY) }],
	[
		'of some are before 1970, or were never set',
		{
			write: (time, n) =>
				[iso(time), '1969-12-31T23:59:59.000Z', iso(0), '0001-01-01T00:00:00Z'][
					n < 0 ? 0 : n % 4
				] ?? '',
		},
	],
	['of an import go back', { write: (time, n) => iso(time - (n < 0 ? 0 : 3_000 + n) * DAY) }],
	[
		'have no zone, west of Greenwich, and winter begins',
		{ write: (time, n) => iso(time - (n < 2 ? 4 : 5) * HOUR).slice(0, -1) },
	],
	['fall an hour behind the clock', { write: (time, n) => iso(time - (n < 2 ? 0 : HOUR)) }],
	[
		'go back an hour with the clock of the service',
		{ write: (time, n) => iso(time - (n < 0 ? 0 : HOUR)), setBack: HOUR },
	],
];

it.each(DATINGS)('New dossiers whose times %s arrive, each once', async (_, { write, setBack }) => {
	const service = await openService(write, 12);
	expect(await service.poll()).toEqual([]);
	service.state.behind = setBack ?? 0;
	for (let n = 0; n < 8; n++) {
		service.add(n);
		expect(await service.poll()).toEqual([`new_${n}`]);
	}
	expect(await service.poll()).toEqual([]);
});

it.each(DATINGS)(
	'New dossiers of a list of several pages whose times %s arrive, each once',
	async (_, { write, setBack }) => {
		const service = await openService(write, 320);
		for (let n = 0; n < 3; n++) expect(await service.poll()).toEqual([]);
		service.state.behind = setBack ?? 0;
		const given: unknown[] = [];
		for (let n = 0; n < 8; n++) {
			service.add(n);
			given.push(...(await service.poll()));
		}
		for (let n = 0; n < 60 && given.length < 8; n++) given.push(...(await service.poll()));
		for (let n = 0; n < 4; n++) given.push(...(await service.poll()));
		expect(given.sort()).toEqual(Array.from({ length: 8 }, (_none, n) => `new_${n}`));
	},
);

it('A list without times costs one request if its filter works, and its new records arrive', async () => {
	// The old ones are from 320 days.
	const write = (time: number, n: number) => iso(n < 0 ? START - (START - time) * 1_440 : time);
	const service = await openService(write, 320, true);
	expect(await service.poll()).toEqual([]);
	const counts: number[] = [];
	for (let n = 0; n < 30; n++) {
		const before = service.requests.length;
		service.add(n);
		expect(await service.poll()).toEqual([`new_${n}`]);
		counts.push(service.requests.length - before);
	}
	// A sweep reads four pages, after 4, 8 and 16 polls.
	expect(counts.filter((count) => count > 1)).toEqual([5, 5, 5]);
});
