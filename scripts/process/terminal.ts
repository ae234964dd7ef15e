import { formatDuration } from './units.ts';

const TERMINAL_TICK_MS = 1_000;
const LOG_TICK_MS = 30_000;
const CLEAR_LINE = '\r\u001b[2K';

/** Something that takes a while and is shown until it ends. */
export interface Progress {
	/** Replaces the detail shown beside the elapsed time. */
	detail(text: string): void;
	/** Ends the display with one last line. Every progress is ended, also on failure. */
	end(text: string): void;
}

export function say(text = ''): void {
	process.stdout.write(`${text}\n`);
}

/** Says that a long step has begun: one living line on a terminal, a line every half minute in a log. */
export function showProgress(what: string): Progress {
	const living = process.stdout.isTTY === true;
	const began = Date.now();
	let detail = '';
	let ended = false;
	const line = () =>
		`${what} (${[formatDuration(Date.now() - began), detail].filter(Boolean).join(', ')})`;
	const draw = () => process.stdout.write(living ? CLEAR_LINE + line() : `${line()}\n`);
	if (living) draw();
	else say(`${what} …`);
	const timer = setInterval(draw, living ? TERMINAL_TICK_MS : LOG_TICK_MS);
	timer.unref();
	return {
		detail: (text) => {
			detail = text;
		},
		end: (text) => {
			if (ended) return;
			ended = true;
			clearInterval(timer);
			process.stdout.write(`${living ? CLEAR_LINE : ''}${text}\n`);
		},
	};
}
