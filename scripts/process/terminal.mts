const TERMINAL_TICK_MS = 1_000;
const LOG_TICK_MS = 30_000;
const CLEAR_LINE = '\r\u001b[2K';

/** A long step, shown on the terminal until it ends. */
interface Progress {
	/** Replaces the detail shown beside the elapsed time. */
	detail(text: string): void;
	/** Replaces the display by a last line. Must be called on failure, too. */
	end(text: string): void;
}

export function say(text = ''): void {
	process.stdout.write(`${text}\n`);
}

/** Shows a long step: one line that is redrawn on a terminal, a new line every half minute in a log. */
export function showProgress(what: string): Progress {
	const isTerminal = process.stdout.isTTY === true;
	const began = Date.now();
	let detail = '';
	let ended = false;
	const line = () =>
		`${what} (${[formatDuration(Date.now() - began), detail].filter(Boolean).join(', ')})`;
	const draw = () => process.stdout.write(isTerminal ? CLEAR_LINE + line() : `${line()}\n`);
	if (isTerminal) draw();
	else say(`${what} …`);
	const timer = setInterval(draw, isTerminal ? TERMINAL_TICK_MS : LOG_TICK_MS);
	timer.unref();
	return {
		detail: (text) => {
			detail = text;
		},
		end: (text) => {
			if (ended) return;
			ended = true;
			clearInterval(timer);
			process.stdout.write(`${isTerminal ? CLEAR_LINE : ''}${text}\n`);
		},
	};
}

/** Milliseconds as `42 s` or `3 min 05 s`. */
function formatDuration(ms: number): string {
	const seconds = Math.round(ms / 1000);
	if (seconds < 60) return `${seconds} s`;
	return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}
