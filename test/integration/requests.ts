/** Parameters of the node for common operations, and how to run them. */
import type { ICredentialDataDecryptedObject, INode, INodeParameters } from 'n8n-workflow';
import { runDossier, useBinaryMode } from './n8n';
import type { Input } from './n8n';
import { byId, startService } from './service';
import type { Service } from './service';

export const get = (id: unknown): INodeParameters => ({
	resource: 'dossier',
	operation: 'get',
	dossierId: byId(id),
	output: 'simplified',
});

export const uploadTo = (dossier: string, parameters: INodeParameters = {}): INodeParameters => ({
	resource: 'document',
	operation: 'upload',
	dossierId: byId(dossier),
	filesFrom: 'named',
	binaryPropertyName: 'data',
	category: 'other',
	ifExists: 'upload',
	...parameters,
});

/** Runs the node, by default with the credential of the service. */
export const runOn = async (
	{ credential }: Service,
	parameters: INodeParameters,
	extra: {
		items?: Input[];
		onError?: INode['onError'];
		credential?: ICredentialDataDecryptedObject;
	} = {},
) => await runDossier({ parameters, credential, ...extra });

/** The arguments of `runOn` after the service. */
export type Request = Parameters<typeof runOn> extends [Service, ...infer Rest] ? Rest : never;

/** Starts a service with a dossier for the tests of a file, and ends it after them. */
export function useDossier() {
	let opened: { service: Service; dossier: string; forget: () => Promise<void> } | undefined;
	const open = () => {
		if (!opened) throw new Error('The service is not started');
		return opened;
	};

	beforeAll(async () => {
		const service = await startService();
		const { id } = await service.create('/dossiers', { title: 'Problems' });
		opened = { service, dossier: id as string, forget: await useBinaryMode('filesystem') };
	});

	afterAll(async () => {
		const { service, forget } = open();
		await service.stop();
		await forget();
	});

	return {
		get service() {
			return open().service;
		},
		get dossier() {
			return open().dossier;
		},
		run: async (...request: Request) => await runOn(open().service, ...request),
	};
}

/** Lists all dossiers. */
export const listDossiers = (parameters: INodeParameters = {}): INodeParameters => ({
	resource: 'dossier',
	operation: 'getAll',
	returnAll: true,
	output: 'simplified',
	filters: {},
	...parameters,
});

/** A credential for any server, which need not be the service. */
export const credentialFor = (url: string): ICredentialDataDecryptedObject => ({
	environment: 'production',
	baseUrl: `${url}/v1`,
	sandboxUrl: '',
	apiKey: 'sk_test_x',
	organizationId: 'org',
	rateLimit: 'off',
});
