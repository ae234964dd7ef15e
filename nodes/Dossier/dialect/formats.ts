import type { Value } from './paths';
import type { Dialect } from './schema';

/** Whether a field holds a time. */
export const isTimeField = (field: string) => field.endsWith('_at');

/** Whether a field holds a number, which services with 64 bits may write as text. */
export const isCountField = (field: string) => /_(bytes|count)$/.test(field);

/** A time without a zone. JavaScript would read it in the zone of this machine. */
const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d[T ][\d:.]+$/;

/** The text of a time, in UTC if it names no zone. */
const addZone = (text: string) => text.replace(WITHOUT_ZONE, '$&Z');

/** A day like 05.10.2026, of which nobody can tell whether the month or the day comes first. JavaScript takes the month. */
const AMBIGUOUS = /^\s*\d{1,2}\s*[./-]\s*\d{1,2}\s*[./-]/;

/** The time of a record in ms since 1970; NaN if it is not a time. */
export const parseTime = (value: unknown): number =>
	typeof value === 'string' && !AMBIGUOUS.test(value) ? Date.parse(addZone(value)) : NaN;

const DAY = 86_400_000;

/**
 * The day of a time of ISO 8601 in a timezone; any other value as it is.
 *
 * @param round whether a part of a day counts as the day after
 */
export function writeDay(value: Value, timeZone: string, round = Math.floor): Value {
	const time = typeof value === 'string' && value.includes('T') ? Date.parse(value) : NaN;
	if (Number.isNaN(time)) return value;
	const moment = new Date(round === Math.ceil ? time + DAY - 1 : time);
	// The Swedish locale writes a day as ISO 8601 does.
	return moment.toLocaleDateString('sv-SE', { timeZone });
}

/** A number of ms since 1970 as ISO 8601 UTC; `otherwise` if it is not a time. */
const readIso = (ms: number, otherwise: Value): Value => {
	const date = new Date(ms);
	return Number.isNaN(date.getTime()) ? otherwise : date.toISOString();
};

/** A time as the service writes it as ISO 8601 UTC; any other value as it is. */
export function readTime({ times = 'iso' }: Dialect, value: Value): Value {
	if (typeof value === 'string' && WITHOUT_ZONE.test(value))
		return readIso(parseTime(value), value);
	if (times === 'iso' || value === null || value === '' || !Number.isFinite(Number(value)))
		return value;
	return readIso(Number(value) * (times === 'epochSeconds' ? 1000 : 1), value);
}

/**
 * A time of ISO 8601 as the service writes it.
 *
 * @param round how a fraction of a second becomes a whole one
 */
export function writeTime({ times = 'iso' }: Dialect, value: Value, round = Math.floor): Value {
	const time = typeof value === 'string' ? Date.parse(value) : NaN;
	if (times === 'iso' || Number.isNaN(time)) return value;
	return times === 'epochSeconds' ? round(time / 1000) : time;
}

/** A text of digits as a number; any other value as it is. */
export const readCount = (value: Value): Value => {
	const isNumber = typeof value === 'string' && /^\d+$/.test(value);
	return isNumber && Number.isSafeInteger(Number(value)) ? Number(value) : value;
};
