import { EventEmitter } from 'node:events';
import { Translator } from '../../nodes/Dossier/dialect/translate';
import { checkDuplicate, fingerprintDelivery } from '../../nodes/Dossier/trigger/deduplicate';
import { filterEvent, listEvents, readEvent } from '../../nodes/Dossier/trigger/event';
import type { EventEnvelope } from '../../nodes/Dossier/trigger/event';

const HOUR = 3_600_000;
const START = Date.parse('2026-03-01T12:00:00Z');
let places = 0;

const read = (body: string) => readEvent(Buffer.from(body), new Translator({}));

/** What n8n answers a delivery with. */
class Answer extends EventEmitter {
	writableEnded = false;
	statusCode = 200;

	/** n8n answers, and the connection is done with it. */
	end(statusCode: number): void {
		Object.assign(this, { statusCode, writableEnded: true });
		this.emit('close');
	}
}

/** A trigger of its own for each test, to which deliveries come. */
function openPlace() {
	const place = `place ${places++}`;
	return {
		/** A delivery that n8n has not answered yet. */
		begin: (body: string, at = 0, signedId?: string) => {
			const answer = new Answer();
			const fingerprint = fingerprintDelivery(place, signedId, Buffer.from(body));
			return { answer, state: checkDuplicate(fingerprint, answer, START + at) };
		},
		/** A delivery whose run begins, if it is to run. */
		take(body: string, at = 0, signedId?: string) {
			const { answer, state } = this.begin(body, at, signedId);
			if (state === 'new') answer.end(200);
			return state;
		},
	};
}

describe('A delivery', () => {
	it('is recognised by its bytes for a day, once its run has begun', () => {
		const one = openPlace();
		expect(one.take('a')).toBe('new');
		expect(one.take('a', 23 * HOUR)).toBe('done');
		expect(one.take('b', 23 * HOUR)).toBe('new');
		expect(one.take('a', 25 * HOUR)).toBe('new');
	});

	it('is recognised by its signed id: equal events with different ids are two deliveries', () => {
		const one = openPlace();
		expect(one.take('a', 0, 'd1')).toBe('new');
		expect(one.take('a', 0, 'd2')).toBe('new');
		expect(one.take('b', 0, 'd2')).toBe('done');
	});

	it('is remembered for one trigger only', () => {
		expect(openPlace().take('a')).toBe('new');
		expect(openPlace().take('a')).toBe('new');
	});

	it('runs when it comes again if n8n has not answered the first within ten minutes', () => {
		const one = openPlace();
		one.begin('a');
		expect(one.take('a', 599_999)).toBe('in flight');
		expect(one.take('a', 600_000)).toBe('new');
	});

	it('is one of 20,000 that a process remembers', () => {
		const one = openPlace();
		for (let n = 0; n <= 20_000; n++) one.take(`body ${n}`, n);
		expect(one.take('body 20000', 20_001)).toBe('done');
		expect(one.take('body 1000', 20_002)).toBe('done');
		expect(one.take('body 0', 20_003)).toBe('new');
	});
});

describe('Events', () => {
	const nothing: string[] = [];
	const any = {
		events: ['*'],
		otherEvents: nothing,
		dossiers: nothing,
		categories: nothing,
		runOnTest: false,
	};
	const held = (event: string, data: EventEnvelope['data'], changes: Partial<typeof any>) =>
		filterEvent({ event, data }, { ...any, ...changes });

	it('with several dossiers pass a filter if one of them is wanted', () => {
		const data = { dossier_ids: ['dos_1', 'dos_2'] };
		expect(held('portal.user_invited', data, { dossiers: ['dos_2'] })).toBeUndefined();
		expect(held('dossier.created', {}, { dossiers: ['dos_2'] })).toBe('not wanted');
		expect(held('dossier.created', [], { dossiers: ['dos_2'] })).toBe('not wanted');
	});

	it('are read as they were sent, and other bodies are not events', () => {
		const body = { event: 'x.y', created_at: '2026-01-01T00:00:00Z', data: [1], more: { a: 1 } };
		expect(read(JSON.stringify(body))).toEqual({ sent: body, event: body });
		const bare = { event: 'x.y' };
		expect(read('\uFEFF{"event": "x.y"}')).toEqual({ sent: bare, event: bare });
		for (const wrong of ['', '[]', '"x"', '{', '{"event": 7.5e400}', '{"data": {}}', 'null']) {
			expect(read(wrong)).toMatchObject({ refusal: { status: 400 } });
		}
	});

	it('are read fast, even from a hostile body of a megabyte', () => {
		const long = (text: string) => `{"event": "x", "n": 9007199254740993, "data": ${text}}`;
		const bodies = [
			JSON.stringify('"\\'.repeat(250_000)),
			JSON.stringify('a'.repeat(1_000_000)),
			`[${'1234567890123456789,'.repeat(50_000)}1]`,
		];
		for (const data of bodies) {
			expect(read(long(data))).toMatchObject({
				sent: { n: '9007199254740993' },
			});
		}
	});

	it('are registered by name, or all known ones for Any Event, each once', () => {
		expect(listEvents(['task.due_soon'], ['dossier.closed', 'task.due_soon'])).toEqual([
			'task.due_soon',
			'dossier.closed',
		]);
		expect(listEvents(['*'], [])).toHaveLength(6);
	});
});
