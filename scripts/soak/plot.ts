import type { StrikeResult } from './soak.ts';

const SIZE = { width: 900, height: 320 };
const EDGE = { left: 70, right: 20, top: 40, bottom: 45 };
const COLOURS = ['#2563eb', '#c2410c', '#15803d'];
const TICKS = 5;
/** Between two samples that lie further apart, n8n was down. */
const HOLE_INTERVALS = 4;

interface Line {
	name: string;
	/** Time in ms since the begin, and the value. */
	points: Array<[at: number, value: number]>;
}

interface Plot {
	title: string;
	/** What the vertical axis counts. */
	unit: string;
	minutes: number;
	lines: Line[];
	/** Drawn as bands behind the lines. */
	strikes: StrikeResult[];
}

/** Draws lines over time as SVG. Each trouble is a band, whose name shows under the pointer. */
export function drawPlot({ title, unit, minutes, lines, strikes }: Plot): string {
	const values = lines.flatMap(({ points }) => points.map(([, value]) => value));
	const last = Math.max(
		minutes * 60_000,
		...lines.flatMap(({ points }) => points.map(([at]) => at)),
	);
	const top = roundUp(Math.max(1, ...values));
	const x = (at: number) => EDGE.left + (at / last) * (SIZE.width - EDGE.left - EDGE.right);
	const y = (value: number) =>
		SIZE.height - EDGE.bottom - (value / top) * (SIZE.height - EDGE.top - EDGE.bottom);
	const bands = strikes.map(({ kind, begin, end }) => {
		const width = Math.max(1, x(end) - x(begin));
		const fill = kind === 'killed n8n' ? '#fca5a5' : '#e5e7eb';
		return `<rect x="${round(x(begin))}" y="${EDGE.top}" width="${round(width)}" height="${SIZE.height - EDGE.top - EDGE.bottom}" fill="${fill}"><title>${kind}</title></rect>`;
	});
	const rows = Array.from({ length: TICKS + 1 }, (_, n) => (n * top) / TICKS).map(
		(value) =>
			`<path d="M${EDGE.left} ${round(y(value))}H${SIZE.width - EDGE.right}" stroke="#d1d5db"/><text x="${EDGE.left - 8}" y="${round(y(value) + 4)}" text-anchor="end">${round(value)}</text>`,
	);
	const columns = Array.from({ length: TICKS + 1 }, (_, n) => (n * last) / TICKS).map(
		(at) =>
			`<text x="${round(x(at))}" y="${SIZE.height - EDGE.bottom + 18}" text-anchor="middle">${round(at / 60_000)}</text>`,
	);
	const drawn = lines.map(({ points }, at) => {
		const path = drawPath(points, x, y);
		return `<path d="${path}" fill="none" stroke="${COLOURS[at % COLOURS.length]}" stroke-width="1.5"/>`;
	});
	const legend = lines.map(
		({ name }, at) =>
			`<text x="${SIZE.width - EDGE.right - (lines.length - 1 - at) * 130}" y="22" text-anchor="end" fill="${COLOURS[at % COLOURS.length]}">${name}</text>`,
	);
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE.width} ${SIZE.height}" font-family="sans-serif" font-size="12" fill="#374151">`,
		`<rect width="${SIZE.width}" height="${SIZE.height}" fill="#ffffff"/>`,
		`<text x="${EDGE.left}" y="22" font-size="14" font-weight="bold">${title} (${unit})</text>`,
		...bands,
		...rows,
		...columns,
		`<text x="${SIZE.width / 2}" y="${SIZE.height - 8}" text-anchor="middle">minutes</text>`,
		...drawn,
		...legend,
		'</svg>\n',
	].join('\n');
}

function drawPath(points: Line['points'], x: (at: number) => number, y: (value: number) => number) {
	const [first, second] = points;
	const hole = first && second ? HOLE_INTERVALS * (second[0] - first[0]) : Infinity;
	return points
		.map(([at, value], n) => {
			const before = points[n - 1];
			const starts = !before || at - before[0] > hole;
			return `${starts ? 'M' : 'L'}${round(x(at))} ${round(y(value))}`;
		})
		.join('');
}

/** The next number that is 1, 2 or 5 times a power of ten. */
function roundUp(value: number): number {
	const power = 10 ** Math.floor(Math.log10(value));
	return ([1, 2, 5].find((factor) => factor * power >= value) ?? 10) * power;
}

const round = (value: number) => Math.round(value * 10) / 10;
