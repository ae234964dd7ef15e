import { EventEmitter } from 'node:events';
import type { IDataObject } from 'n8n-workflow';
import { Translator } from '../../nodes/Dossier/dialect/translate';
import { checkDuplicate, fingerprintDelivery } from '../../nodes/Dossier/trigger/deduplicate';
import { checkFilter, filterEvent, listEvents, readEvent } from '../../nodes/Dossier/trigger/event';
import type { EventEnvelope } from '../../nodes/Dossier/trigger/event';
import { readFilter } from '../../nodes/Dossier/trigger/form';

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
	it('is recognized by its bytes for a day, once its run has begun', () => {
		const one = openPlace();
		expect(one.take('a')).toBe('new');
		expect(one.take('a', 23 * HOUR)).toBe('done');
		expect(one.take('b', 23 * HOUR)).toBe('new');
		expect(one.take('a', 25 * HOUR)).toBe('new');
	});

	it('is recognized by its signed id: equal events with different ids are two deliveries', () => {
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
		filterEvent({ event, data }, { ...any, ...changes }, new Translator({}));

	it('with several dossiers pass a filter if one of them is wanted', () => {
		const data = { dossier_ids: ['dos_1', 'dos_2'] };
		expect(held('portal.user_invited', data, { dossiers: ['dos_2'] })).toBeUndefined();
		expect(held('dossier.created', {}, { dossiers: ['dos_2'] })).toBe('not wanted');
		expect(held('dossier.created', [], { dossiers: ['dos_2'] })).toBe('not wanted');
	});

	/** What the form says, with text or values of expressions in its fields. */
	const fill = (filters: IDataObject, otherEvents: unknown = '', events: string[] = ['*']) => {
		const form: Record<string, unknown> = { filters, events, options: { otherEvents } };
		return readFilter((name) => form[name]);
	};

	it.each([
		['identity_document'],
		['Identity Document'],
		['IDENTITY-DOCUMENT'],
		['identity  document'],
		['"identity_document"'],
		['„Identity Document“'],
		['invoice; identity_document'],
		['invoice\nidentity document\n'],
		['["invoice", "identity_document"]'],
		[['invoice', 'Identity Document']],
		['AUSWEIS'],
		['ausweis'],
	])('pass the filter on categories if it says %j', (categories) => {
		const translator = new Translator({
			document: { values: { category: { identity_document: 'AUSWEIS' } } },
		});
		for (const event of ['document.uploaded', 'document.deleted']) {
			const pass = (category: string) => {
				const body = JSON.stringify({ event, data: { category } });
				const read = readEvent(Buffer.from(body), translator);
				if ('refusal' in read) throw new Error('not an event');
				return filterEvent(read.event, fill({ categories }), translator);
			};
			expect([pass('AUSWEIS'), pass('identity_document')]).toEqual([undefined, undefined]);
			expect([pass('identity'), pass('document'), pass('')]).toEqual(
				Array.from({ length: 3 }, () => 'not wanted'),
			);
		}
	});

	it.each([
		'dossier.closed',
		' "Dossier.Closed" ',
		'dossier.merged;dossier.closed',
		'x\ndossier.closed',
	])('pass if they are named by hand as %j', (names) => {
		const filter = checkFilter(fill({}, names, []));
		expect(filterEvent({ event: 'dossier.closed' }, filter, new Translator({}))).toBeUndefined();
	});

	it.each([
		[fill({}, 'document.*'), 'EVENT_NAME_INVALID'],
		[fill({}, 'dossier.closed, *'), 'EVENT_NAME_INVALID'],
		[fill({}, 'dossier closed'), 'EVENT_NAME_INVALID'],
		[fill({ categories: 'tax' }, '', ['task.due_soon']), 'FILTER_MATCHES_NOTHING'],
		[fill({ dossiers: ['dos_1'] }, '', ['portal.user_accessed']), 'FILTER_MATCHES_NOTHING'],
		[fill({ dossiers: ['dos_1'] }, '', ['dossier.created']), 'FILTER_MATCHES_NOTHING'],
	])('of the kind %j cannot come, which is an error: %s', (filter, code) => {
		expect(() => checkFilter(filter)).toThrow(expect.objectContaining({ code }));
	});

	it.each([
		fill({ categories: 'tax', dossiers: ['dos_1'] }),
		fill({ categories: 'tax' }, 'document.signed', []),
		fill({ dossiers: ['dos_1'] }, '', ['dossier.created', 'task.due_soon']),
	])('of the kind %j can come', (filter) => {
		expect(checkFilter(filter)).toBe(filter);
	});

	it('are read as they were sent, and other bodies are not events', () => {
		const body = { event: 'x.y', created_at: '2026-01-01T00:00:00Z', data: [1], more: { a: 1 } };
		expect(read(JSON.stringify(body))).toEqual({ sent: body, event: body });
		const bare = { event: 'x.y' };
		expect(read('\uFEFF{"event": "x.y"}')).toEqual({ sent: bare, event: bare });
		for (const wrong of ['', '[]', '"x"', '{', '{"event": 7}', '{"data": {}}', 'null']) {
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
