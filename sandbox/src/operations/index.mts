import type { Handler } from './call.mts';
import { auditOperations } from './audit.mts';
import { portalOperations } from './portal.mts';
import { recordOperations } from './records.mts';
import { webhookOperations } from './webhooks.mts';
import { workspaceOperations } from './workspace.mts';

/** The handler of each operation, by its name in the contract. */
export const operations: Record<string, Handler> = {
	...recordOperations,
	...portalOperations,
	...auditOperations,
	...workspaceOperations,
	...webhookOperations,
};
