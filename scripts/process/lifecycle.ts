import { PlainError, formatError } from './plainError.ts';
import { say } from './terminal.ts';

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

/**
 * Runs a job to its end and ends the process: with the code that the job gives, with 1 and a sentence when it fails, or with the
 * code of the signal (Ctrl-C, SIGTERM, SIGHUP) that interrupts it. Functions registered with `onEnd` are called in every case.
 */
export async function runToEnd(job: (lifecycle: RunLifecycle) => Promise<number>): Promise<void> {
	const interruption = new AbortController();
	const undoing: Array<() => Promise<void>> = [];
	let stayingUp = false;

	const interrupted = new Promise<number>((resolve) => {
		for (const [signal, code] of Object.entries(SIGNALS)) {
			process.on(signal, () => {
				if (interruption.signal.aborted) return;
				interruption.abort(new PlainError('Interrupted.'));
				say('\nStopping …');
				resolve(stayingUp && signal === 'SIGINT' ? 0 : code);
			});
		}
		process.on('uncaughtException', (error) => {
			if (interruption.signal.aborted) return;
			interruption.abort(error);
			say(`\n${formatError(error)}`);
			resolve(1);
		});
	});
	// A closed terminal or pipe must not prevent the clean-up
	for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

	const finished = job({
		signal: interruption.signal,
		onEnd: (undo) => {
			undoing.push(undo);
		},
		stayUp: () => {
			stayingUp = true;
			return new Promise<never>(() => undefined);
		},
	}).catch((error: unknown) => {
		if (!interruption.signal.aborted) say(`\n${formatError(error)}`);
		return 1;
	});

	const code = await Promise.race([finished, interrupted]);
	interruption.abort(new PlainError('The run has ended.'));
	await undoAll(undoing);
	process.exit(code);
}

async function undoAll(undoing: Array<() => Promise<void>>): Promise<void> {
	for (let undo = undoing.pop(); undo; undo = undoing.pop()) {
		await undo().catch((error: unknown) => say(formatError(error)));
	}
}
