import type { AxiosInstance } from 'axios';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { createControl } from '../../sandbox/src/client/control.ts';
import type { SandboxControl } from '../../sandbox/src/client/control.ts';
import type { Sandbox, SeededOrganization } from '../../sandbox/src/index.ts';
import { fillCredential, openService } from '../../scripts/process/sandbox.ts';

/** The ways into a sandbox, past n8n and for it. */
export interface Clients {
	organization: SeededOrganization;
	/** The service past n8n, with the test key. Every status is an answer, none is thrown. */
	service: AxiosInstance;
	/** The control room over HTTP, also of a sandbox that was closed and started again. */
	control: SandboxControl;
	/** The fields of a valid credential. */
	right: ICredentialDataDecryptedObject;
}

export function openClients(sandbox: Sandbox): Clients {
	const { url, organizations } = sandbox;
	const [organization] = organizations;
	if (!organization) throw new Error('The sandbox has no organization.');
	const service = openService(`${url}/v1`, organization);
	service.defaults.validateStatus = () => true;
	return {
		organization,
		service,
		control: createControl(sandbox, { baseUrl: `${url}/_sandbox/api` }),
		right: fillCredential(`${url}/v1`, organization),
	};
}
