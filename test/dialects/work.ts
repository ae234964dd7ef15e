/** What the parts of the core job share. */
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INodeExecutionData,
	INodeParameters,
} from 'n8n-workflow';
import type { Dialect } from '../../sandbox/src/index.ts';
import { runDossier } from '../integration/n8n';
import type { Input } from '../integration/n8n';
import type { JobSetup } from './spoken';

export interface Job extends JobSetup {
	dialect: Dialect;
	/** Runs one operation. Throws with its name if it fails. */
	run: (
		resource: string,
		operation: string,
		given: INodeParameters,
		items?: Input[],
	) => Promise<INodeExecutionData[]>;
}

export const ALL: INodeParameters = { returnAll: true, output: 'raw' };
export const createRun =
	(credential: ICredentialDataDecryptedObject): Job['run'] =>
	async (resource, operation, given, items) => {
		const parameters = { resource, operation, ...given };
		const { items: output, error } = await runDossier({ parameters, credential, items });
		if (!error) return output;
		const { message, description } = error;
		throw new Error(`${resource}/${operation}: ${message} ${description ?? ''}`);
	};

export const first = ([item]: INodeExecutionData[]): IDataObject => item?.json ?? {};
export const text = (value: unknown) => String(value);
