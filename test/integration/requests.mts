/** Parameters of the node for common operations, and how to run them. */
import type { ICredentialDataDecryptedObject, INode, INodeParameters } from 'n8n-workflow';
import { runDossier } from './n8n.mts';
import type { Input } from './n8n.mts';
import { byId, useService } from './service.mts';
import type { Service } from './service.mts';

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
	category: 'other',
	ifExists: 'upload',
	...parameters,
});

export const file = (fileName: string, content: string | Buffer = fileName) => ({
	fileName,
	content: Buffer.from(content),
});

/** An item with a file in the field data. */
export const carry = (...given: Parameters<typeof file>): Input => ({
	json: {},
	files: { data: file(...given) },
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

/** A service with a dossier for all tests of the file or block that calls this. */
export function useDossier() {
	const service = useService();
	let dossier = '';
	beforeAll(async () => {
		dossier = (await service.create('/dossiers', { title: 'Problems' })).id as string;
	});
	return {
		service,
		get dossier() {
			return dossier;
		},
		run: async (...request: Request) => await runOn(service, ...request),
	};
}

/** Lists all dossiers. */
export const listDossiers = (parameters: INodeParameters = {}): INodeParameters => ({
	resource: 'dossier',
	operation: 'getAll',
	returnAll: true,
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

/** The further fields of a credential whose service speaks a dialect. */
export const speaking = (dialect: object): ICredentialDataDecryptedObject => ({
	contractOverrides: true,
	dialect: JSON.stringify(dialect),
});
