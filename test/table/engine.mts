/** n8n's engine as the host of a row. */
import { readBinary, runDossier } from '../integration/n8n.mts';
import type { Host } from './rows.mts';

/** Keeps the files of each run in a folder named by it. */
export const engine =
	(executionId: string): Host =>
	async (work) => ({
		outcome: await runDossier({ ...work, executionId }),
		read: async (output) => await readBinary(output?.binary?.data),
	});
