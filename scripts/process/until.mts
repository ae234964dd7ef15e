import waitFor from 'p-wait-for';

const LOOK_MS = 250;

/** Polls until there is a value, and gives it. */
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
		{ interval: LOOK_MS, timeout, signal },
	);
}
