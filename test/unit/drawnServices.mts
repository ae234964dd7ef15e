/** How services keep an audit log, or a list of dossiers, that grows: drawn at random. */
import fc from 'fast-check';
import { DAY, HOUR, MINUTE } from './virtualClock.mts';

/** The order of a log that is not asked for one, or does not care. */
const ORDERS = ['kept', 'ascending', 'descending', 'byId', 'changing'] as const;

/** How a service keeps its log. */
const services = fc.record({
	/** What grows: the audit log, read for events or for documents, or a list of dossiers. */
	kind: fc.constantFrom('events', 'documents', 'records'),
	filters: fc.boolean(),
	order: fc.constantFrom(...ORDERS),
	/** How many entries a page has at most. */
	pageSize: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 6, max: 100 })),
	continues: fc.constantFrom('numbered', 'counted', 'cursor'),
	/** How far the times of entries are ahead of the clock that the answers show. */
	ahead: fc.constantFrom(0, 0, 0, 2 * HOUR, -2 * HOUR, -4 * HOUR, -10 * HOUR),
	/** The unit to which times are rounded down. */
	grain: fc.constantFrom(0, 0, 0, MINUTE, HOUR, DAY),
	isZoneWritten: fc.boolean(),
	/** Which clock is set back by an hour after the first burst: that of the records, or that of the answers too. */
	setBack: fc.constantFrom('none', 'none', 'records', 'both'),
	/** How dossiers are dated: when they are made, some of them years ago, or all of them years ago and the newest first. */
	dated: fc.constantFrom('now', 'now', 'past', 'reverse'),
	/** Whether it filters and sorts by the moment when a record was made, instead of the time that it shows. */
	ordersByMaking: fc.boolean(),
	/** How late entries are shown at most. */
	late: fc.constantFrom(0, 0, MINUTE, 5 * MINUTE),
	/** One entry in this many is dated in the future, lacks its time, lacks its id, or lacks what an event needs; 0 for none. */
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
