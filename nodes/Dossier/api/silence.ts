/** Ends what takes part in a call when the other side is silent for too long, or when the execution is cancelled. */
export interface SilenceWatch {
	/** Aborts at the end of the call: for the request, and for whatever else must not outlive it. */
	readonly signal: AbortSignal;
	/** The other side has the next move: silence counts from now. */
	await(): void;
	/** The next move is ours: the other side's silence does not count. */
	pause(): void;
	/** Whether the other side was silent for too long. */
	isSilent(): boolean;
	/** Ends the watch. */
	stop(): void;
	/** Ends the watch, and with it everything that has the signal: its socket is closed. */
	abort(): void;
}

/**
 * Watches how long the other side is silent. Timers are replaced only when they fire, so that many small moves cost
 * nothing.
 *
 * @param timeout the longest silence, in ms
 * @param cancelled aborts when the execution is cancelled
 */
export function watchSilence(timeout: number, cancelled: AbortSignal | undefined): SilenceWatch {
	const own = new AbortController();
	/** When the silence began; `undefined` while the next move is ours. */
	let since: number | undefined = Date.now();
	let timer: AbortSignal | undefined;
	let isSilent = false;

	function check(): void {
		const left = since === undefined ? timeout : since + timeout - Date.now();
		if (left > 0) return arm(left);
		isSilent = true;
		own.abort();
	}

	function arm(ms: number): void {
		// The platform's own timer is freed with the last reference to it, and keeps no process alive.
		timer = AbortSignal.timeout(Math.ceil(ms));
		timer.addEventListener('abort', check, { once: true });
	}

	const stop = () => timer?.removeEventListener('abort', check);

	arm(timeout);
	return {
		signal: cancelled ? AbortSignal.any([cancelled, own.signal]) : own.signal,
		await: () => {
			since = Date.now();
		},
		pause: () => {
			since = undefined;
		},
		isSilent: () => isSilent,
		stop,
		abort: () => {
			stop();
			own.abort();
		},
	};
}
