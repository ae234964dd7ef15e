/** The offset of a timezone from UTC at a moment, in milliseconds. */
function offsetAt(moment: number, timeZone: string): number {
	// Ends with e.g. GMT+02:00; with GMT alone for UTC.
	const text = new Date(moment).toLocaleString('en-US', { timeZone, timeZoneName: 'longOffset' });
	return -Date.parse(`1970-01-01T00:00${/[+-]\d+:\d+/.exec(text)?.[0] ?? 'Z'}`);
}

function isoText(value: unknown): string | undefined {
	// A date of an expression, e.g. {{ $now }} or {{ new Date() }}, gives ISO 8601 as its JSON.
	const json: unknown = JSON.parse(JSON.stringify(value ?? null));
	return typeof json === 'string' ? writeIso(json.trim()) : undefined;
}

/** A day as people write it with dots, 24.12.2026, with a time behind it or not. */
const DOTTED_DAY = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?:,?\s+(\d{1,2}):(\d{2})(:\d{2})?)?$/;

/** The same date in ISO 8601; any other text as it is. */
const writeIso = (text: string) =>
	text.replace(
		DOTTED_DAY,
		(_, day: string, month: string, year: string, hour?: string, minute = '', second = '') =>
			`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}${hour ? `T${hour.padStart(2, '0')}:${minute}${second}` : ''}`,
	);

/**
 * Converts a date to ISO 8601 in UTC, as the service writes it (A-03). A date without an offset, such as n8n's date field
 * gives, is read in the workflow's timezone.
 *
 * @returns `undefined` if the value is not a date
 */
export function toUtc(value: unknown, timezone: string): string | undefined {
	const iso = isoText(value);
	if (!iso || !/^\d{4}-\d{2}-\d{2}/.test(iso)) return undefined;
	const date = iso.replace(' ', 'T');
	// Date.parse reads 31 February as 3 March.
	const day = new Date(`${date.slice(0, 10)}T00:00:00Z`);
	if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== date.slice(0, 10)) {
		return undefined;
	}
	const hasOffset = /(z|[+-]\d{2}:?\d{2})$/i.test(date.slice(10));
	const rest = date.length > 10 ? 'Z' : 'T00:00:00Z';
	const asIfUtc = Date.parse(hasOffset ? date : date + rest);
	if (Number.isNaN(asIfUtc)) return undefined;
	if (hasOffset) return new Date(asIfUtc).toISOString();
	// Twice, because near a change of clocks the first guess may have another offset than the moment itself.
	const guess = asIfUtc - offsetAt(asIfUtc, timezone);
	return new Date(asIfUtc - offsetAt(guess, timezone)).toISOString();
}

/** Two days in a calendar, as year, month and day: the first one of a period, and the one behind it. */
type Span = [first: [number, number, number], behind: [number, number, number]];

/** The periods that have a name, on a day in a calendar. Months are counted from 0, and may be below 0 or above 11. */
const PERIODS: Record<string, (year: number, month: number, day: number) => Span> = {
	lastMonth: (year, month) => [
		[year, month - 1, 1],
		[year, month, 1],
	],
	thisMonth: (year, month) => [
		[year, month, 1],
		[year, month + 1, 1],
	],
	yesterday: (year, month, day) => [
		[year, month, day - 1],
		[year, month, day],
	],
};

/**
 * The first moment of a period in the workflow's timezone, and the one behind it.
 *
 * @param now in ms since 1970
 * @returns the bounds, and the month or the day in ISO 8601; `undefined` if no period has this name
 */
export function findPeriod(
	name: string,
	timezone: string,
	now = Date.now(),
): { bounds: { from?: string; to?: string }; label: string } | undefined {
	const today = new Date(now + offsetAt(now, timezone));
	const date = [today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate()] as const;
	const span = PERIODS[name]?.(...date);
	if (!span) return undefined;
	const days = span.map((day) => new Date(Date.UTC(...day)).toISOString().slice(0, 10));
	const [from, to] = days.map((day) => toUtc(day, timezone));
	const [first = ''] = days;
	return { bounds: { from, to }, label: name.endsWith('Month') ? first.slice(0, 7) : first };
}
