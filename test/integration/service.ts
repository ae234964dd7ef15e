/** A sandbox of the service for one test file, with an organization of its own. */
import axios from 'axios';
import type { AxiosInstance } from 'axios';
import type { ICredentialDataDecryptedObject, INodeParameterResourceLocator } from 'n8n-workflow';
import { createSandbox } from '../../sandbox/src/index.ts';

export interface Service {
	url: string;
	organization: { id: string; liveKey: string; testKey: string };
	credential: ICredentialDataDecryptedObject;
	/** An independent client of the same organization. */
	client: AxiosInstance;
	stop(): Promise<void>;
}

/** Starts the service with an Enterprise organization, whose test key the credential and the client use. */
export async function startService(): Promise<Service> {
	const sandbox = await createSandbox();
	const organization = sandbox.createOrganization({ plan: 'enterprise' });
	return {
		url: sandbox.url,
		organization,
		credential: {
			environment: 'production',
			baseUrl: `${sandbox.url}/v1`,
			sandboxUrl: '',
			apiKey: organization.testKey,
			organizationId: organization.id,
		},
		client: axios.create({
			baseURL: `${sandbox.url}/v1`,
			headers: {
				Authorization: `Bearer ${organization.testKey}`,
				'X-Organization-ID': organization.id,
			},
			validateStatus: () => true,
		}),
		stop: () => sandbox.close(),
	};
}

/** The value of a locator whose ID is typed. */
export const byId = (value: unknown): INodeParameterResourceLocator => ({
	__rl: true,
	mode: 'id',
	value: value as string,
});
