/** The operations of the node as n8n has loaded it, and what is expected of each. */
import { randomBytes } from 'node:crypto';
import type {
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	INodeTypeDescription,
} from 'n8n-workflow';
import type { Held } from './operationsHeld.ts';

/** One operation: what is entered, what it gives out, and what it leaves in the service. */
export interface Place {
	/** The fields of the form beside resource and operation. */
	parameters: INodeParameters;
	/** Whose token is used, if the credential is not an API key. */
	as?: 'customer' | 'operator';
	/** The fields that the output item has, or the first of several. */
	gives: IDataObject;
	/** How many items follow it; none unless said. */
	others?: number;
	/** Checks past n8n that the operation was done. */
	leaves?: (item: INodeExecutionData) => Promise<void>;
}

/** Prepares the records that an operation works on, so that no test depends on another. */
export type Prepare = (held: Held) => Promise<Place>;

/** The file that every workflow has read before its operation. */
export const FILE = { name: 'Rechnung 請求書.pdf', content: randomBytes(100_000) };

export const ONE: INodeParameters = { returnAll: false, limit: 1, output: 'simplified' };

/** The schema of an output, as n8n shows it before a node has run. */
export interface Preview {
	type: string;
	properties?: Record<string, Preview>;
	items?: Preview;
}

/** The operations that a form offers, such as `dossier/create`. */
export function listOperations({ properties }: INodeTypeDescription): string[] {
	const choices = properties.filter(({ name }) => name === 'operation');
	return choices.flatMap(({ displayOptions, options }) =>
		(displayOptions?.show?.resource ?? []).flatMap((resource) =>
			(options ?? [])
				.map((option) => ('value' in option ? option.value : ''))
				// n8n itself adds this one, whose output depends on the call
				.filter((operation) => operation !== '__CUSTOM_API_CALL__')
				.map((operation) => `${resource as string}/${operation}`),
		),
	);
}

/** The kind of credential that a resource needs, or none. */
export function findCredentialType(
	{ credentials }: INodeTypeDescription,
	resource: string,
): string | undefined {
	return credentials?.find(({ displayOptions }) =>
		displayOptions?.show?.resource?.includes(resource),
	)?.name;
}

/** The paths at which a value differs from its preview. A field that is absent or null does not differ. */
export function differences(value: unknown, preview: Preview, path = ''): string[] {
	if (value === null || value === undefined) return [];
	if (preview.type === 'array') {
		const { items } = preview;
		if (!Array.isArray(value) || !items) return [`${path} is not a list`];
		return value.flatMap((one) => differences(one, items, `${path}[]`));
	}
	if (typeof value !== preview.type) return [`${path} is ${typeof value}, not ${preview.type}`];
	const known = preview.properties ?? {};
	// An object of which nothing is known holds what people put there
	if (Object.keys(known).length === 0) return [];
	return Object.entries(value).flatMap(([name, one]) => {
		const own = known[name];
		return own ? differences(one, own, `${path}.${name}`) : [`${path}.${name} is not shown`];
	});
}
