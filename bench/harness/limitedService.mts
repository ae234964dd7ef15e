import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Limiter } from './limiter.mts';
import type { Rule, Says } from './limiter.mts';

/** A service that limits requests, before the sandbox. */
interface LimitedService {
	/** Where it listens; without the path. */
	origin: string;
	/** When requests came, in ms since 1970, and which were refused. */
	seen: Array<{ at: number; isRefused: boolean }>;
	close(): void;
}

const REFUSAL = JSON.stringify({
	error: { code: 'RATE_LIMIT_EXCEEDED', message: 'The rate limit is used up.', status: 429 },
});

/** Passes on what a rule accepts, and refuses the rest. Without a rule it passes on everything. */
export async function openLimitedService(
	target: string,
	rule: Rule | undefined,
	says: Says,
): Promise<LimitedService> {
	const limiter = rule && new Limiter(rule);
	const seen: LimitedService['seen'] = [];
	const server = createServer((incoming, outgoing) => {
		const now = Date.now();
		const isRefused = limiter !== undefined && !limiter.take(now);
		seen.push({ at: now, isRefused });
		const limits = limiter?.headers(says, isRefused, now) ?? {};
		if (isRefused) {
			incoming.resume();
			outgoing.writeHead(429, { ...limits, 'content-type': 'application/json' }).end(REFUSAL);
			return;
		}
		const { method, headers } = incoming;
		const passed = request(new URL(incoming.url ?? '/', target), { method, headers }, (answer) => {
			outgoing.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...limits });
			answer.pipe(outgoing);
		});
		passed.on('error', () => outgoing.destroy());
		incoming.pipe(passed);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return { origin: `http://127.0.0.1:${port}`, seen, close: () => server.close() };
}
