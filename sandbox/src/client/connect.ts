import { callControlRoom, createControl } from './control.ts';
import type { SandboxAddress, Send } from './control.ts';
import type { SandboxControl } from './types.ts';

/**
 * Connects to a sandbox that runs in another process, by its address, such as `http://127.0.0.1:4010`. Throws a sentence if no sandbox
 * answers there, or the control room is closed to this machine.
 */
export async function connectSandbox(url: string): Promise<SandboxControl> {
	const base = url.replace(/\/+$/, '');
	const send: Send = async (path, init) => await fetch(`${base}/_sandbox/api${path}`, init);
	const reach: Send = async (path, init) => {
		try {
			return await send(path, init);
		} catch {
			throw new Error(`No sandbox answers at ${base}. Start one with npx dossier-sandbox.`);
		}
	};
	const found = await callControlRoom<Partial<SandboxAddress> | undefined>(reach, 'GET', '');
	const { organizations, operatorToken } = found ?? {};
	if (!organizations || operatorToken === undefined) {
		throw new Error(`What answers at ${base} is not a sandbox.`);
	}
	return createControl({ url: base, organizations, operatorToken }, send);
}
