import { deepCopy } from 'n8n-workflow';
import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';
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

export function nameTrigger(context: OwnerContext, kind = 'Dossier Trigger'): string {
	const { id, name } = context.getWorkflow();
	return `${kind} "${context.getNode().name}" of the workflow "${name}" (${id})`;
}

export const warn = (context: OwnerContext & Pick<IWebhookFunctions, 'logger'>, message: string) =>
	context.logger.warn(`${nameTrigger(context)} ${message}`);

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
export interface Registration extends Pick<Owner, 'workflow' | 'node'> {
	kind: Kind;
	/** Names the service, the organization and the environment that it was made for. */
	service: string;
	address: string;
	/** One for all events, or one for each. */
	hooks: Hook[];
}

/** Reads the stored registration; `undefined` if it is not of this node, e.g. after an import, or of the other kind. */
export function readRegistration(
	{ registration: stored }: IDataObject,
	{ workflow, node }: Owner,
	kind: Kind,
): Registration | undefined {
	const isOwn = (one: unknown): one is Registration =>
		isObject(one) && one.workflow === workflow && one.node === node && one.kind === kind;
	return isOwn(stored) ? stored : undefined;
}

/**
 * Stores a registration, or forgets it if it has no webhook. Only registering and unregistering write, because n8n saves
 * static data as a whole. Those of a test are not those of the published workflow.
 */
export function storeRegistration(staticData: IDataObject, registration: Registration): void {
	if (registration.hooks.length) staticData.registration = deepCopy({ ...registration });
	else delete staticData.registration;
}
