import { Agent } from 'node:http';
import { join } from 'node:path';
import axios from 'axios';
import { connectSandbox } from '../../sandbox/src/client/connect.mts';
import type { SandboxControl } from '../../sandbox/src/client/control.mts';
import type { RunLifecycle } from './lifecycle.mts';
import { PlainError } from './plainError.mts';
import { startGroup } from './group.mts';
import type { ProcessGroup } from './group.mts';
import type { Toolchain } from './toolchain.mts';

const GRACE_MS = 5_000;

/** A running sandbox, and how an integration reaches it. */
export interface SandboxProcess {
	/** The address that a browser opens. */
	url: string;
	/** The base address of the API, which ends with /v1. */
	baseUrl: string;
	organization: { id: string; name: string; testKey: string };
	control: SandboxControl;
	group: ProcessGroup;
}

/** An organization, and the key for its test data. */
type Organization = Pick<SandboxProcess['organization'], 'id' | 'testKey'>;

/** The service past n8n. */
export const openService = (baseURL: string, { id, testKey }: Organization) =>
	axios.create({
		baseURL,
		proxy: false,
		// The sandbox may close an idle connection just when it is used again.
		httpAgent: new Agent({ keepAlive: false }),
		headers: { Authorization: `Bearer ${testKey}`, 'X-Organization-ID': id },
	});

/** The fields of a credential. */
export const fillCredential = (sandboxUrl: string, { id, testKey }: Organization) => ({
	environment: 'sandbox',
	baseUrl: '',
	sandboxUrl,
	apiKey: testKey,
	organizationId: id,
	moreSettings: true,
	rateLimit: 'enterprise',
});

interface Announcement {
	url: string;
	base_url: string;
	organizations: Array<{ id: string; name: string; plan: string; testKey: string }>;
}

/** Starts the sandbox on a port, with temporary data, until the run ends. */
export async function startSandbox(
	lifecycle: RunLifecycle,
	{ root, node, env }: Toolchain,
	port: number,
): Promise<SandboxProcess> {
	const announced = Promise.withResolvers<string>();
	const group = startGroup(
		lifecycle,
		node,
		[join(root, 'sandbox/src/main.mts'), '--port', String(port), '--json'],
		{ cwd: root, env, graceMs: GRACE_MS, onLine: announced.resolve, channel: true },
	);
	const line = await Promise.race([announced.promise, group.ended]);
	if (typeof line === 'number') {
		throw new PlainError(`The sandbox did not start:\n\n${group.tail().join('\n')}`);
	}
	const { url, base_url, organizations } = JSON.parse(line) as Announcement;
	const organization = organizations.find(({ plan }) => plan.toLowerCase() === 'enterprise');
	if (!organization) throw new PlainError('The sandbox has no Enterprise organization.');
	return { url, baseUrl: base_url, organization, control: await connectSandbox(url), group };
}
