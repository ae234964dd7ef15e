import { PlainError, told } from './plainError.ts';
import { say } from './terminal.ts';

/** What a run gets to know about its own end. */
export interface Course {
	/** Aborted as soon as the run is to stop. */
	signal: AbortSignal;
	/** Registers what has to be undone at the end, however the run ends; the newest is undone first. */
	onEnd(undo: () => Promise<void>): void;
	/** From here on Ctrl-C is the wanted end of the run, so its exit code is 0. Never settles. */
	stayUp(): Promise<never>;
}

// npm hands a Ctrl-C on to its child although the terminal has already done so: the same signal arrives twice
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/**
 * Runs a job to its end and ends the process: with the code that the job gives, with 1 and a sentence when it fails, or with the
 * code of the signal (Ctrl-C, SIGTERM, SIGHUP) that interrupts it. Whatever was registered with `onEnd` is undone in every case.
 */
export async function runToEnd(job: (course: Course) => Promise<number>): Promise<void> {
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
			say(`\n${told(error)}`);
			resolve(1);
		});
	});
	// A closed terminal or pipe must not keep the end from undoing what was started
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
		if (!interruption.signal.aborted) say(`\n${told(error)}`);
		return 1;
	});

	const code = await Promise.race([finished, interrupted]);
	interruption.abort(new PlainError('The run has ended.'));
	await undoAll(undoing);
	process.exit(code);
}

async function undoAll(undoing: Array<() => Promise<void>>): Promise<void> {
	for (let undo = undoing.pop(); undo; undo = undoing.pop()) {
		await undo().catch((error: unknown) => say(told(error)));
	}
}
