import type { IDataObject } from 'n8n-workflow';
import { planWindows } from '../../nodes/Dossier/api/pace/limits';
import { readRateHeaders } from '../../nodes/Dossier/api/pace/rateHeaders';
import { HOUR, MINUTE, START } from './virtualClock.mts';

const utc = (time: number) => new Date(time).toUTCString();

const readRetryAfter = (headers: IDataObject, now: number) =>
	readRateHeaders(headers, now).retryAfter;

describe('Retry-After', () => {
	it.each([
		['3', 3_000],
		[3, 3_000],
		[utc(START + 9_000), 9_000],
		[utc(START - 9_000), 0],
		[String(START / 1_000 + 30), 30_000],
		[String(START + 30_000), 30_000],
		['604800', HOUR],
		['9999999999999', HOUR],
		[utc(START + 24 * HOUR), HOUR],
		['soon', undefined],
		['-5', undefined],
		['', undefined],
	])('%j is a wait of %j ms', (header, wait) => {
		expect(readRetryAfter({ 'retry-after': header }, START)).toBe(wait);
	});

	it('that is a date counts from the clock of the service', () => {
		const headers = { 'retry-after': utc(START + 9_000), date: utc(START + 5_000) };
		expect(readRetryAfter(headers, START - HOUR)).toBe(4_000);
	});
});

describe('X-RateLimit-Reset', () => {
	const read = (header: string, date = START) =>
		readRateHeaders({ 'x-ratelimit-reset': header, date: utc(date) }, START).resetIn;

	it.each([
		[String(START / 1_000 + 60), MINUTE],
		[String(START + MINUTE), MINUTE],
		['60', MINUTE],
		['3600', HOUR],
		['60000', undefined],
		// The window ended a second ago, by headers in whole seconds.
		[String(START / 1_000 - 1), 0],
		[String(START / 1_000 - 60), undefined],
		[String(START / 1_000 + 7 * 86_400), undefined],
		['999999999', undefined],
		['9999999999999999', undefined],
		['soon', undefined],
	])('%s ends the window in %j ms', (header, resetIn) => {
		expect(read(header)).toBe(resetIn);
	});

	it.each(['x-rate-limit-reset', 'ratelimit-reset', 'x-ratelimit-reset-after'])(
		'may be called %s',
		(name) => {
			expect(readRateHeaders({ [name]: '60' }, START).resetIn).toBe(MINUTE);
		},
	);

	it('counts from the clock of the service', () => {
		expect(read(String(START / 1_000 + HOUR / 1_000 + 60), START + HOUR)).toBe(MINUTE);
	});
});

describe('Rate Limit: Custom', () => {
	const plan = (requestsPerMinute: unknown, requestsPerHour: unknown = 0) =>
		planWindows({
			rateLimit: 'custom',
			requestsPerMinute: requestsPerMinute as number,
			requestsPerHour: requestsPerHour as number,
		});

	it('takes a number that an expression gives as text', () => {
		expect(plan('100', 1_000)).toEqual([
			{ limit: 100, length: MINUTE, isCustom: true },
			{ limit: 1_000, length: HOUR, isCustom: true },
		]);
	});

	it.each([0, '0', '', undefined, null])('has no limit if %j is entered', (value) => {
		expect(plan(value)).toEqual([]);
	});

	it.each([2.5, '2.5', -1, 'many', NaN])('refuses %j', (value) => {
		expect(() => plan(value)).toThrow(
			expect.objectContaining({
				code: 'FIELD_INVALID',
				facts: { credential: 'dossierApi', field: 'requestsPerMinute', rule: 'rateLimit' },
			}),
		);
	});
});
