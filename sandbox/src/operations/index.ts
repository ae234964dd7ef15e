import type { Handler } from './call.ts';
import { auditOperations } from './audit.ts';
import { portalOperations } from './portal.ts';
import { recordOperations } from './records.ts';
import { webhookOperations } from './webhooks.ts';
import { workspaceOperations } from './workspace.ts';

/** What answers each operation, by its name in the contract. */
export const operations: Record<string, Handler> = {
	...recordOperations,
	...portalOperations,
	...auditOperations,
	...workspaceOperations,
	...webhookOperations,
};
