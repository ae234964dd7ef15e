import type { Live } from '../live.mts';
import { until } from '../../../scripts/process/until.mts';
import { observeTriggers } from '../triggers.mts';
import { readItems } from '../../../scripts/host/executions.mts';
import { announceGone, importExample, whileActive } from './imported.mts';
import { addDocument, newDossier } from './records.mts';

export function documentReceived(live: () => Live): void {
	it('downloads an uploaded document, and names its dossier', async () => {
		const workflow = await importExample(live(), 'document-received.json');
		await whileActive(live(), workflow, async () => {
			const dossier = await newDossier(live(), 'R-1');
			await addDocument(live(), dossier, 'scan.pdf', 'a scan');
			// Under load, n8n can list an execution as finished before its data can be read.
			const item = await until('output of the workflow', async () => {
				const [execution] = await observeTriggers(live()).awaitRuns(workflow, 1);
				return execution && readItems(execution, 'What Arrived')[0];
			});
			expect([item.json.summary, item.binary?.data?.fileName]).toEqual([
				'scan.pdf (other, 6 bytes) arrived in dossier R-1',
				'scan.pdf',
			]);
		});
	});

	it('ends well if the document is gone, and fails if it cannot be read', async () => {
		const workflow = await importExample(live(), 'document-received.json');
		await whileActive(live(), workflow, async (webhook) => {
			const dossier = await newDossier(live(), 'R-2');
			await announceGone(live(), workflow, { webhook, dossier, denied: 'dossiers.get' });
		});
	});
}
