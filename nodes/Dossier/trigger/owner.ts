import type { IWebhookFunctions } from 'n8n-workflow';

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
