import getPort from 'get-port';

/** Below the ports that systems give out by themselves, to whoever listens or connects. */
const FIRST = 10_000;
/** Processes that choose at the same time choose among different ports, unless their IDs differ by a multiple of this. */
const SHARES = 500;
const SHARE = 40;

/**
 * A port of 127.0.0.1 for a program that is started with it later: free, and nobody else's by then either. It stays free for
 * that program if it is stopped and started again.
 */
export async function choosePort(preferred?: number): Promise<number> {
	const first = FIRST + (process.pid % SHARES) * SHARE;
	const own = Array.from({ length: SHARE }, (_, at) => first + at);
	const port = preferred ? [preferred, ...own] : own;
	return await getPort({ host: '127.0.0.1', port, reserve: true });
}
