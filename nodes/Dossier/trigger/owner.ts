import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';
import { toText } from '../api/json';
import { isObject } from '../dialect/paths';

/** The node that a registration and its secret belong to. A copy of the workflow has another owner. */
export interface Owner {
	workflow: string;
	node: string;
	/** n8n's part of the address; empty if the workflow was imported without one. */
	webhookId: string;
}

/** The address for a test in the editor, or the address of an active workflow. */
export type Kind = 'test' | 'production';

type OwnerContext = Pick<IWebhookFunctions, 'getNode' | 'getWorkflow'>;

export function readOwner(context: OwnerContext): Owner {
	const { id, webhookId = '' } = context.getNode();
	return { workflow: context.getWorkflow().id ?? '', node: id, webhookId };
}

export const nameOwner = ({ workflow, node, webhookId }: Owner): string =>
	JSON.stringify([workflow, node, webhookId]);

/** Names the address that got a delivery. A test and the active workflow deduplicate separately. */
export const namePlace = (owner: Owner, kind: Kind): string => `${nameOwner(owner)} ${kind}`;

/** Names the trigger in n8n's log. */
export function nameTrigger(context: OwnerContext, kind = 'Dossier Trigger'): string {
	const { id, name } = context.getWorkflow();
	return `${kind} "${context.getNode().name}" of the workflow "${name}" (${id})`;
}

/** One webhook at the service. */
export interface Hook {
	/** Empty if the service has not told it yet. */
	id: string;
	events: string[];
	/** Identifies the secret that the service was given last by the process that stored this. */
	secretId: string;
	/** A secret that the service chose, encrypted with one of the credential. */
	sealed?: string;
}

/**
 * What n8n stores about a registration. It contains nothing that could sign a delivery. It says what was done, not what
 * the service has now: other processes may have changed that.
 */
export interface Registration {
	/** Names the service, the organization and the environment that it was made for. */
	service: string;
	address: string;
	/** One for all events, or one for each. */
	hooks: Hook[];
}

const readStored = ({ registrations }: IDataObject): IDataObject =>
	isObject(registrations) ? registrations : {};

const readHook = ({ id, events, secretId, sealed }: IDataObject): Hook => ({
	id: toText(id) ?? '',
	events: Array.isArray(events) ? events.map(String) : [],
	secretId: toText(secretId) ?? '',
	...(typeof sealed === 'string' && { sealed }),
});

/** Reads the stored registration; `undefined` also if the record belongs to another node, e.g. after an import. */
export function readRegistration(
	staticData: IDataObject,
	owner: Owner,
	kind: Kind,
): Registration | undefined {
	const stored = readStored(staticData)[kind];
	if (!isObject(stored)) return undefined;
	const { workflow, node, service, address, hooks } = stored;
	if (workflow !== owner.workflow || node !== owner.node) return undefined;
	return {
		service: toText(service) ?? '',
		address: toText(address) ?? '',
		hooks: Array.isArray(hooks) ? hooks.filter(isObject).map(readHook) : [],
	};
}

/**
 * Stores a registration, or forgets it if it has no webhook. Only registering and unregistering write, because n8n saves
 * static data as a whole.
 */
export function storeRegistration(
	staticData: IDataObject,
	{ workflow, node }: Owner,
	kind: Kind,
	{ service, address, hooks }: Registration,
): void {
	const others = Object.entries(readStored(staticData)).filter(([name]) => name !== kind);
	const copied = hooks.map((hook) => ({ ...hook }));
	staticData.registrations = {
		...Object.fromEntries(others),
		...(hooks.length && { [kind]: { workflow, node, service, address, hooks: copied } }),
	};
}
