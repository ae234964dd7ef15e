import type { AxiosInstance } from 'axios';
import { openService } from '../../scripts/process/sandbox.ts';
import { openSandbox } from './stage.ts';
import type { Bench, Sandbox } from './stage.ts';

/** A new sandbox with one organization, and how another process reaches it. */
interface SandboxAlone extends Sandbox {
	organization: string;
	/** Its address for programs of other kinds, and the headers that they send. */
	access: { url: string; headers: Record<string, string> };
	service: AxiosInstance;
}

export async function openSandboxAlone(bench: Bench): Promise<SandboxAlone> {
	const opened = await openSandbox(bench);
	const organization = await opened.control.createOrganization();
	const { id, testKey } = organization;
	const { baseUrl: url } = opened.sandbox;
	const headers = { Authorization: `Bearer ${testKey}`, 'X-Organization-ID': id };
	return {
		...opened,
		organization: id,
		access: { url, headers },
		service: openService(url, organization),
	};
}
