import axios from 'axios';
import type { AxiosInstance } from 'axios';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import type { Sandbox, SeededOrganization } from '../../sandbox/src/index.ts';

/** The ways into a sandbox, past n8n and for it. */
export interface Clients {
	organization: SeededOrganization;
	/** The service past n8n, with the test key. Every status is an answer, none is thrown. */
	service: AxiosInstance;
	/** The control room of the sandbox. */
	control: AxiosInstance;
	/** The fields of a valid credential. */
	right: ICredentialDataDecryptedObject;
}

export function openClients({ url, organizations }: Sandbox): Clients {
	const [organization] = organizations;
	if (!organization) throw new Error('The sandbox has no organization.');
	return {
		organization,
		service: axios.create({
			baseURL: `${url}/v1`,
			headers: {
				Authorization: `Bearer ${organization.testKey}`,
				'X-Organization-ID': organization.id,
			},
			proxy: false,
			validateStatus: () => true,
		}),
		control: axios.create({ baseURL: `${url}/_sandbox/api`, proxy: false }),
		right: {
			environment: 'sandbox',
			baseUrl: '',
			sandboxUrl: `${url}/v1`,
			apiKey: organization.testKey,
			organizationId: organization.id,
			moreSettings: true,
			rateLimit: 'enterprise',
		},
	};
}
