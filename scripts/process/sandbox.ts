import { join } from 'node:path';
import type { RunLifecycle } from './lifecycle.ts';
import { PlainError } from './plainError.ts';
import { startGroup } from './group.ts';
import type { ProcessGroup } from './group.ts';
import type { Toolchain } from './toolchain.ts';

const GRACE_MS = 5_000;

/** A running sandbox, and how an integration reaches it. */
export interface SandboxProcess {
	/** The address that a browser opens. */
	url: string;
	/** The base address of the API, which ends with /v1. */
	baseUrl: string;
	organization: { id: string; name: string; testKey: string };
	group: ProcessGroup;
}

interface Announcement {
	url: string;
	base_url: string;
	organizations: Array<{ id: string; name: string; plan: string; testKey: string }>;
}

/** Starts the sandbox on a port, with a temporary state; it ends with the run. */
export async function startSandbox(
	lifecycle: RunLifecycle,
	{ root, node, env }: Toolchain,
	port: number,
): Promise<SandboxProcess> {
	const announced = Promise.withResolvers<string>();
	const group = startGroup(
		lifecycle,
		node,
		[join(root, 'sandbox/src/main.ts'), '--port', String(port), '--json'],
		{ cwd: root, env, graceMs: GRACE_MS, onLine: announced.resolve, channel: true },
	);
	const line = await Promise.race([announced.promise, group.ended]);
	if (typeof line === 'number') {
		throw new PlainError(`The sandbox did not start:\n\n${group.tail().join('\n')}`);
	}
	const { url, base_url, organizations } = JSON.parse(line) as Announcement;
	const organization = organizations.find(({ plan }) => plan.toLowerCase() === 'enterprise');
	if (!organization) throw new PlainError('The sandbox has no Enterprise organization.');
	return { url, baseUrl: base_url, organization, group };
}
