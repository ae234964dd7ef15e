import { hc } from 'hono/client';
import type { ControlApi } from '../control/api.mts';
import { call, createControl } from './control.mts';
import type { SandboxControl } from './control.mts';

/**
 * Connects to the sandbox of another process at an address such as `http://127.0.0.1:4170`. Throws an error with a sentence if no
 * sandbox answers there, or if this machine may not use its control room.
 */
export async function connectSandbox(url: string): Promise<SandboxControl> {
	const base = url.replace(/\/+$/, '');
	const baseUrl = `${base}/_sandbox/api`;
	const answer = await fetch(baseUrl).catch(() => {
		throw new Error(`No sandbox answers at ${base}. Start one with npx dossier-sandbox.`);
	});
	const isJson = answer.headers.get('content-type')?.startsWith('application/json');
	// The typed client reads the answer that is already there, instead of asking again.
	const { index } = hc<ControlApi>(baseUrl, { fetch: () => Promise.resolve(answer) });
	const description = isJson && (await call(index.$get()));
	if (!description || !Object.hasOwn(description, 'operatorToken')) {
		throw new Error(`What answers at ${base} is not a sandbox.`);
	}
	const { organizations, operatorToken } = description;
	return createControl({ url: base, organizations, operatorToken }, { baseUrl });
}
