import { PlainError, formatError } from './plainError.mts';
import { say } from './terminal.mts';

/** The lifecycle of a run: a signal for its end, and functions that the end has to call. */
export interface RunLifecycle {
	/** Aborted as soon as the run is to stop. */
	signal: AbortSignal;
	/** Registers a function that the end of the run calls, however the run ends; the newest first. */
	onEnd(undo: () => Promise<void>): void;
	/** Waits for Ctrl-C, which from now on is a success (exit code 0). Never settles. */
	stayUp(): Promise<never>;
}

// npm forwards a Ctrl-C that the terminal has already sent to this process: the same signal arrives twice
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** A lifecycle, what ends it early, and what undoes everything that it has started, the newest first. */
export function openLifecycle() {
	const ending = new AbortController();
	const undoing: Array<() => Promise<void>> = [];
	const lifecycle: RunLifecycle = {
		signal: ending.signal,
		onEnd: (undo) => {
			undoing.push(undo);
		},
		stayUp: () => new Promise<never>(() => undefined),
	};
	const close = async () => {
		ending.abort(new PlainError('The run has ended.'));
		for (let undo = undoing.pop(); undo; undo = undoing.pop()) {
			await undo().catch((error: unknown) => say(formatError(error)));
		}
	};
	return { lifecycle, ending, close };
}

/**
 * Runs a job to its end and ends the process: with the code that the job gives, with 1 and a sentence when it fails, or with the
 * code of the signal (Ctrl-C, SIGTERM, SIGHUP) that interrupts it. Functions registered with `onEnd` are called in every case.
 */
export async function runToEnd(job: (lifecycle: RunLifecycle) => Promise<number>): Promise<void> {
	const { lifecycle, ending, close } = openLifecycle();
	let stayingUp = false;

	const interrupted = new Promise<number>((resolve) => {
		for (const [signal, code] of Object.entries(SIGNALS)) {
			process.on(signal, () => {
				if (ending.signal.aborted) return;
				ending.abort(new PlainError('Interrupted.'));
				say('\nStopping …');
				resolve(stayingUp && signal === 'SIGINT' ? 0 : code);
			});
		}
		process.on('uncaughtException', (error) => {
			if (ending.signal.aborted) return;
			ending.abort(error);
			say(`\n${formatError(error)}`);
			resolve(1);
		});
	});
	// A closed terminal or pipe must not prevent the clean-up
	for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

	const stayUp = () => {
		stayingUp = true;
		return lifecycle.stayUp();
	};
	const finished = job({ ...lifecycle, stayUp }).catch((error: unknown) => {
		if (!ending.signal.aborted) say(`\n${formatError(error)}`);
		return 1;
	});

	const code = await Promise.race([finished, interrupted]);
	await close();
	process.exit(code);
}
