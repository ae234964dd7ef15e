/** Parameters of the node for common operations, and how to run them. */
import type { ICredentialDataDecryptedObject, INode, INodeParameters } from 'n8n-workflow';
import { runDossier } from './n8n';
import type { Input } from './n8n';
import { byId } from './service';
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
