import { openSandbox, openService } from './stage.ts';
import type { Bench, Organization, Sandbox } from './stage.ts';
import type { AxiosInstance } from 'axios';

/** A new sandbox with one organization, and how another process reaches it. */
interface SandboxAlone extends Sandbox {
	organization: string;
	/** Its address for programs of other kinds, and the headers that they send. */
	access: { url: string; headers: Record<string, string> };
	service: AxiosInstance;
}

export async function openSandboxAlone(bench: Bench): Promise<SandboxAlone> {
	const opened = await openSandbox(bench);
	const { data } = await opened.control.post<Organization>('/organizations', {});
	return {
		...opened,
		organization: data.id,
		access: {
			url: opened.sandbox.baseUrl,
			headers: {
				Authorization: `Bearer ${data.liveKey}`,
				'X-Organization-ID': data.id,
			},
		},
		service: openService(opened.sandbox, data),
	};
}
