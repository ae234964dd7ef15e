import type { AxiosInstance } from 'axios';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { createControl } from '../../sandbox/src/client/control.mts';
import type { SandboxControl } from '../../sandbox/src/client/control.mts';
import type { Sandbox, SeededOrganization } from '../../sandbox/src/index.mts';
import { createCredential } from '../../scripts/host/rest.mts';
import type { CredentialReference, Session } from '../../scripts/host/rest.mts';
import { fillCredential, openService } from '../../scripts/process/sandbox.mts';

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

/** Stores credentials with changes, each under a name of its own. */
export function openCredentials(session: Session, right: ICredentialDataDecryptedObject) {
	let count = 0;
	return async (changes: ICredentialDataDecryptedObject = {}): Promise<CredentialReference> => {
		count += 1;
		const name = `Dossier ${count}`;
		const data = { ...right, ...changes };
		return { id: await createCredential(session, { name, type: 'dossierApi', data }), name };
	};
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
