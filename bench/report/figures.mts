/** The least or the largest value that is wanted. */
export type Target = { atLeast: number } | { atMost: number };

/** One line of a table: all values of one thing in the order of measuring, and their median. */
export interface Figure {
	what: string;
	/** Such as `s`, `MB` (decimal), `MB/s`, or `×` for how many times as much as something else. */
	unit: string;
	values: number[];
	median: number;
	target?: Target;
	met?: boolean;
}

/** The result of a benchmark: what was done, with what amounts, and the figures. */
export interface Measured {
	title: string;
	/** In Markdown; lets a reader understand the figures without the code. */
	description: string;
	amounts: Record<string, number | string>;
	figures: Figure[];
}

/** The median of some numbers. Throws if there are none. */
export function calculateMedian(values: number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const upper = sorted[Math.floor(sorted.length / 2)];
	const lower = sorted[Math.floor((sorted.length - 1) / 2)];
	if (upper === undefined || lower === undefined) throw new RangeError('Nothing was measured.');
	return (upper + lower) / 2;
}

export function figure(what: string, unit: string, values: number[], target?: Target): Figure {
	const median = calculateMedian(values);
	if (!target) return { what, unit, values, median };
	return { what, unit, values, median, target, met: meets(median, target) };
}

const meets = (value: number, target: Target) =>
	'atLeast' in target ? value >= target.atLeast : value <= target.atMost;

/** How many times as much as another figure, by the medians. */
export function ratio(what: string, of: Figure, to: Figure, target?: Target): Figure {
	return figure(what, '×', [of.median / to.median], target);
}
