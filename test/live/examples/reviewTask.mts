import { complaints } from '../../../scripts/host/executions.mts';
import type { Live } from '../live.mts';
import { observeTriggers } from '../triggers.mts';
import { announceGone, importExample, whileActive } from './imported.mts';
import { addDocument, newDossier, listTasks } from './records.mts';

const DAY_MS = 24 * 60 * 60 * 1000;
const ZONE = 'Asia/Tokyo';

/** A time as clocks in Tokyo show it, where there is no daylight saving time. */
function toTokyo(moment: number) {
	const parts = new Intl.DateTimeFormat('sv-SE', {
		timeZone: ZONE,
		dateStyle: 'short',
		timeStyle: 'short',
	});
	const [date = '', time = ''] = parts.format(moment).split(' ');
	return { date, time, isWeekend: [0, 6].includes(new Date(date).getUTCDay()) };
}

/** The dates of the next working days. */
function listWorkingDays(from: number, count: number): string[] {
	return Array.from({ length: count * 3 + 4 }, (_, n) => toTokyo(from + (n + 1) * DAY_MS))
		.filter(({ isWeekend }) => !isWeekend)
		.slice(0, count)
		.map(({ date }) => date);
}

export function reviewTask(live: () => Live): void {
	it('creates one task for each document, due after the configured working days', async () => {
		const triggers = observeTriggers(live());
		const days = listWorkingDays(Date.now(), 4);
		const settings = {
			assignee_id: 'usr_reviewer',
			working_days: 3,
			holidays: `2001-01-01, ${days[1]}`,
		};
		const choices = { settings, workflowSettings: { timezone: ZONE } };
		const workflow = await importExample(live(), 'review-task.json', choices);
		await whileActive(live(), workflow, async (webhook) => {
			const dossier = await newDossier(live(), 'V-1');
			const id = await addDocument(live(), dossier, 'Vertrag.pdf');
			await triggers.awaitRuns(workflow, 1);
			const [task] = await listTasks(live(), dossier);
			expect(task).toMatchObject({
				title: 'Review Vertrag.pdf',
				description: `Document ${id}, other`,
				assignee_id: 'usr_reviewer',
				dossier_id: dossier,
			});
			// Four working days from now; the second is a holiday
			expect(toTokyo(Date.parse(String(task?.due_at)))).toMatchObject({
				date: days[3],
				time: '17:00',
			});

			// Another event about the same document creates no second task
			await live().control.webhooks.test(webhook.id, {
				event: 'document.uploaded',
				data: { document_id: id, dossier_id: dossier, uploaded_by: 'usr_1', category: 'other' },
			});
			await triggers.awaitRuns(workflow, 2);
			expect(await listTasks(live(), dossier)).toEqual([task]);

			await addDocument(live(), dossier, 'Anlage.pdf');
			const executions = await triggers.awaitRuns(workflow, 3);
			expect(executions.flatMap(({ data }) => complaints(data))).toEqual([]);
			const titles = (await listTasks(live(), dossier)).map(({ title }) => title).sort();
			expect(titles).toEqual(['Review Anlage.pdf', 'Review Vertrag.pdf']);
		});
	});

	it('ends well if the document is gone, and fails if it cannot be read', async () => {
		const workflow = await importExample(live(), 'review-task.json');
		await whileActive(live(), workflow, async (webhook) => {
			const dossier = await newDossier(live(), 'V-2');
			await announceGone(live(), workflow, { webhook, dossier, denied: 'documents.get' });
			expect(await listTasks(live(), dossier)).toEqual([]);
		});
	});
}
