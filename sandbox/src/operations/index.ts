import type { Handler } from './call.ts';
import { auditOperations } from './audit.ts';
import { documentOperations } from './documents.ts';
import { dossierOperations } from './dossiers.ts';
import { portalOperations } from './portal.ts';
import { publicOperations } from './sign-in.ts';
import { taskOperations } from './tasks.ts';
import { webhookOperations } from './webhooks.ts';
import { workspaceOperations } from './workspace.ts';

/** What answers each operation, by its name in the contract. */
export const operations: Record<string, Handler> = {
	...dossierOperations,
	...documentOperations,
	...taskOperations,
	...portalOperations,
	...auditOperations,
	...publicOperations,
	...workspaceOperations,
	...webhookOperations,
};
