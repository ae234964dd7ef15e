import { findPeriod, toUtc } from '../../nodes/Dossier/execution/dates';

it.each([
	['2026-03-01T12:00:00Z', '2026-03-01T12:00:00.000Z'],
	['2026-03-01T12:00:00+02:00', '2026-03-01T10:00:00.000Z'],
	['2026-03-01T12:00:00', '2026-03-01T11:00:00.000Z'],
	['2026-07-01 12:00:00', '2026-07-01T10:00:00.000Z'],
	['2026-07-01', '2026-06-30T22:00:00.000Z'],
	['24.12.2026', '2026-12-23T23:00:00.000Z'],
	[' 1. 7. 2026 ', '2026-06-30T22:00:00.000Z'],
	['24.12.2026 8:30', '2026-12-24T07:30:00.000Z'],
	['24.12.2026, 18:30:15', '2026-12-24T17:30:15.000Z'],
	// Berlin's clocks go forward at 02:00 on 29 March and back at 03:00 on 25 October.
	['2026-03-29T01:59:00', '2026-03-29T00:59:00.000Z'],
	['2026-03-29T03:00:00', '2026-03-29T01:00:00.000Z'],
	['2026-10-25T04:00:00', '2026-10-25T03:00:00.000Z'],
])('reads %s in the timezone of the workflow', (value, expected) => {
	expect(toUtc(value, 'Europe/Berlin')).toBe(expected);
});

it('takes dates from expressions', () => {
	const luxon = { toJSON: () => '2026-03-01T12:00:00.000+01:00' };
	expect(toUtc(luxon, 'UTC')).toBe('2026-03-01T11:00:00.000Z');
	expect(toUtc(new Date(0), 'UTC')).toBe('1970-01-01T00:00:00.000Z');
});

it.each([
	'',
	'tomorrow',
	'2026-13-45',
	'31.02.2026',
	'24.12.26',
	'12/24/2026',
	'2026-02-30T25:00:00',
	7,
	null,
	undefined,
	{},
	new Date('x'),
])('returns undefined for %p', (value) => {
	expect(toUtc(value, 'Europe/Berlin')).toBeUndefined();
});

it.each([
	['lastMonth', '2026-12'],
	['thisMonth', '2027-01'],
	['yesterday', '2026-12-31'],
])('%s is named %s on the first day of a year', (name, label) => {
	expect(findPeriod(name, 'Europe/Berlin', Date.parse('2026-12-31T23:30:00Z'))).toMatchObject({
		label,
	});
});

it.each<[string, string, string, string, string]>([
	['lastMonth', 'Europe/Berlin', '2026-11-27T10:00:00Z', '2026-09-30T22:00Z', '2026-10-31T23:00Z'],
	['lastMonth', 'UTC', '2027-01-01T00:00:00Z', '2026-12-01T00:00Z', '2027-01-01T00:00Z'],
	// In New York, it is still December.
	[
		'lastMonth',
		'America/New_York',
		'2027-01-01T00:00:00Z',
		'2026-11-01T04:00Z',
		'2026-12-01T05:00Z',
	],
	['thisMonth', 'Asia/Kolkata', '2026-12-31T20:00:00Z', '2026-12-31T18:30Z', '2027-01-31T18:30Z'],
	// The day on which Berlin's clocks go forward has 23 hours.
	['yesterday', 'Europe/Berlin', '2026-03-29T23:00:00Z', '2026-03-28T23:00Z', '2026-03-29T22:00Z'],
	['yesterday', 'UTC', '2028-03-01T12:00:00Z', '2028-02-29T00:00Z', '2028-03-01T00:00Z'],
])('%s in %s at %s begins and ends with a day there', (name, timezone, now, ...bounds) => {
	const [from, to] = bounds.map((bound) => new Date(bound).toISOString());
	expect(findPeriod(name, timezone, Date.parse(now))).toMatchObject({ bounds: { from, to } });
});
