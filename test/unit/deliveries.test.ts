import { isWanted, marksOf, readEvent, sight } from '../../nodes/Dossier/trigger/deduplicate';
import type { EventEnvelope } from '../../nodes/Dossier/trigger/deduplicate';
import { eventsToRegister } from '../../nodes/Dossier/trigger/register';

const HOUR = 3_600_000;
let address = 0;

/** A place of its own for each test: what this process has seen belongs to an address. */
function place(idIsSigned = false) {
	const url = `https://n8n.example/webhook/${address++}`;
	const record = { seen: '' };
	const at = (place: string) => (id: string | undefined, body: string, now: number) => {
		const marks = marksOf(id, idIsSigned, Buffer.from(body));
		const sighting = sight(record, place, marks, now);
		if (!sighting.duplicate) sighting.settled();
		return sighting.duplicate;
	};
	return {
		record,
		seen: at(url),
		afterRestart: at(`${url}/restarted`),
		elsewhere: at(`${url}/elsewhere`),
		/** A delivery that n8n cannot begin a run for. */
		seenInVain: (id: string, body: string, now: number) => {
			const marks = marksOf(id, idIsSigned, Buffer.from(body));
			const sighting = sight(record, url, marks, now);
			sighting.failed();
			return sighting.duplicate;
		},
	};
}

describe('Duplicates', () => {
	it('are known by their id, whatever they hold, for a day', () => {
		const { seen } = place();
		expect(seen('d1', 'a', 0)).toBe(false);
		expect(seen('d1', 'b', 23 * HOUR)).toBe(true);
		expect(seen('d2', 'c', 23 * HOUR)).toBe(false);
		expect(seen('d1', 'd', 50 * HOUR)).toBe(false);
	});

	it('are known by their bytes, so that nobody runs a captured delivery again under another id', () => {
		const { seen } = place();
		expect(seen('d1', 'a', 0)).toBe(false);
		expect(seen('replayed', 'a', HOUR)).toBe(true);
		expect(seen(undefined, 'a', HOUR)).toBe(true);
	});

	it('are known by a signed id alone: equal events with ids of their own are two', () => {
		const { seen } = place(true);
		expect(seen('d1', 'a', 0)).toBe(false);
		expect(seen('d2', 'a', 0)).toBe(false);
		expect(seen('d2', 'a', 0)).toBe(true);
	});

	it('without an id are known by their bytes', () => {
		const { seen } = place();
		expect(seen(undefined, 'a', 0)).toBe(false);
		expect(seen(undefined, 'a', HOUR)).toBe(true);
		expect(seen(undefined, 'b', HOUR)).toBe(false);
	});

	it('are known after a restart, by what n8n kept', () => {
		const { seen, afterRestart } = place();
		seen('d1', 'a', 0);
		expect(afterRestart('d1', 'a', HOUR)).toBe(true);
		expect(afterRestart('d2', 'b', HOUR)).toBe(false);
	});

	it('are kept although n8n hands out an older record to each of two at once', () => {
		const { seen, record, afterRestart } = place();
		const older = record.seen;
		seen('d1', 'a', 0);
		record.seen = older;
		seen('d2', 'b', 0);
		expect(afterRestart('d1', 'a', HOUR)).toBe(true);
		expect(afterRestart('d2', 'b', HOUR)).toBe(true);
	});

	it('are known from another process, and stay known while both write the record in turn', () => {
		const { seen, elsewhere, afterRestart } = place();
		expect(seen('d1', 'a', 0)).toBe(false);
		expect(elsewhere('d2', 'b', 1)).toBe(false);
		expect(elsewhere('d1', 'a', 2)).toBe(true);
		expect(seen('d3', 'c', 3)).toBe(false);
		expect(afterRestart('d2', 'b', 4)).toBe(true);
	});

	it('are none where nothing came of the first', () => {
		const { seen, seenInVain } = place();
		expect(seenInVain('d1', 'a', 0)).toBe(false);
		expect(seen('d2', 'b', 1)).toBe(false);
		expect(seen('d1', 'a', 2)).toBe(false);
		expect(seen('d1', 'a', 3)).toBe(true);
	});

	it('are not remembered without end', () => {
		const { seen, record } = place();
		for (let n = 0; n < 2_000; n++) seen(`d${n}`, `body ${n}`, n);
		expect(record.seen.length).toBeLessThan(10_000);
		expect(seen('d1999', 'other', HOUR)).toBe(true);
	});
});

describe('Events', () => {
	const event = (name: string, data: EventEnvelope['data']): EventEnvelope => ({
		event: name,
		created_at: null,
		data,
	});
	const any = { events: ['*'], dossiers: [], categories: [] };

	it('pass by their name, their dossier and their category', () => {
		const uploaded = event('document.uploaded', { dossier_id: 'dos_1', category: 'tax' });
		expect(isWanted(uploaded, any)).toBe(true);
		expect(isWanted(uploaded, { ...any, events: ['document.uploaded'] })).toBe(true);
		expect(isWanted(uploaded, { ...any, events: ['dossier.created'] })).toBe(false);
		expect(isWanted(uploaded, { ...any, dossiers: ['dos_1', 'dos_2'] })).toBe(true);
		expect(isWanted(uploaded, { ...any, dossiers: ['dos_2'] })).toBe(false);
		expect(isWanted(uploaded, { ...any, categories: ['tax'] })).toBe(true);
		expect(isWanted(uploaded, { ...any, categories: ['invoice'] })).toBe(false);
	});

	it('pass a filter on dossiers if one of several is wanted', () => {
		const invited = event('portal.user_invited', { dossier_ids: ['dos_1', 'dos_2'] });
		expect(isWanted(invited, { ...any, dossiers: ['dos_2'] })).toBe(true);
		expect(isWanted(event('dossier.created', {}), { ...any, dossiers: ['dos_2'] })).toBe(false);
	});

	it('are read from the given envelope, and from nothing else', () => {
		const body = { event: 'x.y', created_at: '2026-01-01T00:00:00Z', data: { a: 1 } };
		expect(readEvent(Buffer.from(JSON.stringify(body)))).toEqual(body);
		expect(readEvent(Buffer.from('{"event": "x.y"}'))).toEqual({
			event: 'x.y',
			created_at: null,
			data: {},
		});
		for (const wrong of ['', '[]', '"x"', '{', '{"event": 7.5e400}', '{"data": {}}', 'null']) {
			expect(readEvent(Buffer.from(wrong))).toBeUndefined();
		}
	});

	it('are registered by name, all that are known where any is wanted, each once', () => {
		expect(eventsToRegister(['task.due_soon'], ['dossier.closed', 'task.due_soon'])).toEqual([
			'task.due_soon',
			'dossier.closed',
		]);
		expect(eventsToRegister(['*'], [])).toHaveLength(6);
	});
});
