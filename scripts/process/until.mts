import waitFor from 'p-wait-for';

const INTERVAL_MS = 250;

/** Polls `look` until it finds a value, and gives that. Throws an error that names `what` if it finds none in time. */
export async function until<T>(
	what: string,
	look: () => Promise<T | undefined | false>,
	minutes = 4,
	signal?: AbortSignal,
): Promise<T> {
	const message = `Within ${minutes} minute(s) there was no ${what}.`;
	const timeout = { milliseconds: minutes * 60_000, message };
	return await waitFor(
		async () => {
			const found = await look();
			return found ? waitFor.resolveWith(found) : false;
		},
		{ interval: INTERVAL_MS, timeout, signal },
	);
}
