import type {
	IExecuteFunctions,
	IHookFunctions,
	IPollFunctions,
	ITriggerFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

/** The node that a registration, and its secret, belong to: no other workflow has it, also if it is a copy. */
export interface Owner {
	workflow: string;
	node: string;
	/** n8n's own part of the address; empty if the workflow was imported without one. */
	webhookId: string;
}

/** The address that is called while a person tests, or the one that is called as long as the workflow is active. */
export type Kind = 'test' | 'production';

type Context =
	| IExecuteFunctions
	| IHookFunctions
	| IPollFunctions
	| ITriggerFunctions
	| IWebhookFunctions;

export function readOwner(context: Context): Owner {
	const { id, webhookId = '' } = context.getNode();
	return { workflow: context.getWorkflow().id ?? '', node: id, webhookId };
}

export const nameOwner = ({ workflow, node, webhookId }: Owner): string =>
	JSON.stringify([workflow, node, webhookId]);

/** Names what a delivery came to: a test does not make an event known to the active workflow. */
export const namePlace = (owner: Owner, kind: Kind): string => `${nameOwner(owner)} ${kind}`;

/** Names the trigger in n8n's log. */
export function nameTrigger(context: Context, kind = 'Dossier Trigger'): string {
	const { id, name } = context.getWorkflow();
	return `${kind} "${context.getNode().name}" of the workflow "${name}" (${id})`;
}
