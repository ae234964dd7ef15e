import type { Figure, Target } from './figures.mts';

const HEAD = ['', 'measured', 'median', 'target', ''];
/** With more values than this, only the least and the largest are shown. */
const MOST_LISTED = 5;

/** The figures as a table, in Markdown. */
export function formatTable(figures: Figure[]): string {
	const rows = figures.map(({ what, unit, values, median, target, met }) => [
		what,
		listed(values),
		`${shortened(median)} ${unit}`,
		target ? wanted(target, unit) : '',
		met === undefined ? '' : met ? 'met' : '**missed**',
	]);
	const widths = HEAD.map((head, at) =>
		Math.max(3, head.length, ...rows.map((row) => row[at]?.length ?? 0)),
	);
	const line = (cells: string[]) =>
		`| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
	return [line(HEAD), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

function listed(values: number[]): string {
	if (values.length <= MOST_LISTED) return values.map(shortened).join(', ');
	return `${shortened(Math.min(...values))} to ${shortened(Math.max(...values))} (${values.length})`;
}

function wanted(target: Target, unit: string): string {
	return 'atLeast' in target
		? `≥ ${shortened(target.atLeast)} ${unit}`
		: `≤ ${shortened(target.atMost)} ${unit}`;
}

/** Three significant digits; whole numbers unchanged. */
function shortened(value: number): string {
	if (Number.isInteger(value) || Math.abs(value) >= 100) return String(Math.round(value));
	return String(Number(value.toPrecision(3)));
}
