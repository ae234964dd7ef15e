import { hc } from 'hono/client';
import type { ControlApi } from '../control/api.mts';
import { call, createControl } from './control.mts';
import type { SandboxControl } from './control.mts';

/**
 * Connects to a sandbox that runs in another process, by its address, such as `http://127.0.0.1:4170`. Throws a sentence if no sandbox
 * answers there, or the control room is closed to this machine.
 */
export async function connectSandbox(url: string): Promise<SandboxControl> {
	const base = url.replace(/\/+$/, '');
	const baseUrl = `${base}/_sandbox/api`;
	const answer = await fetch(baseUrl).catch(() => {
		throw new Error(`No sandbox answers at ${base}. Start one with npx dossier-sandbox.`);
	});
	const isJson = answer.headers.get('content-type')?.startsWith('application/json');
	const { index } = hc<ControlApi>(baseUrl, { fetch: () => Promise.resolve(answer) });
	const found = isJson && (await call(index.$get()));
	if (!found || !Object.hasOwn(found, 'operatorToken')) {
		throw new Error(`What answers at ${base} is not a sandbox.`);
	}
	const { organizations, operatorToken } = found;
	return createControl({ url: base, organizations, operatorToken }, { baseUrl });
}
