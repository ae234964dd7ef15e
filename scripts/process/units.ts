const STEPS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** `1234567` as `1.2 MB` (decimal units, as file managers show them). */
export function formatBytes(bytes: number): string {
	let value = bytes;
	let step = 0;
	while (value >= 999.5 && step < STEPS.length - 1) {
		value /= 1000;
		step += 1;
	}
	return `${step === 0 || value >= 99.5 ? Math.round(value) : value.toFixed(1)} ${STEPS[step]}`;
}

/** Milliseconds as `42 s` or `3 min 05 s`. */
export function formatDuration(ms: number): string {
	const seconds = Math.round(ms / 1000);
	if (seconds < 60) return `${seconds} s`;
	return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}
