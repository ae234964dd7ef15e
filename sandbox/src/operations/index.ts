import type { Handler } from '../http/call.ts';
import { documentOperations } from './documents.ts';
import { dossierOperations } from './dossiers.ts';
import { taskOperations } from './tasks.ts';
import { webhookOperations } from './webhooks.ts';

/** What answers each operation, by its name in the contract. */
export const operations: Record<string, Handler> = {
	...dossierOperations,
	...documentOperations,
	...taskOperations,
	...webhookOperations,
};
