import {
	activateWorkflow,
	awaitExecution,
	deactivateWorkflow,
} from '../../../scripts/host/rest.mts';
import { complaints } from '../../../scripts/host/executions.mts';
import type { Live } from '../live.mts';
import { until } from '../../../scripts/process/until.mts';
import { observeTriggers } from '../triggers.mts';
import { importExample } from './imported.mts';
import { openMailbox } from './mailbox.mts';
import type { Mailbox } from './mailbox.mts';
import { dossierWith, listCategories, listDocuments, newDossier, sha256 } from './records.mts';

const buildFile = (name: string) => ({ name, content: `content of ${name}` });
const describeDocument = (name: string) => [name, sha256(`content of ${name}`)];

/** Waits until n8n reads the mailbox. It connects some time after the activation, and looks when a mail arrives. */
async function untilRead(mailbox: Mailbox): Promise<void> {
	let looks = 0;
	await until('reader of the mailbox', async () => {
		if (looks++ % 8 === 0) await mailbox.deliver({ subject: '[E-1] Nothing enclosed', files: [] });
		return (await mailbox.countUnread()) === 0;
	});
}

/** The mailbox is a real one, and so is the trigger. */
export function emailAttachments(live: () => Live): void {
	let mailbox: Mailbox;
	beforeAll(async () => {
		mailbox = await openMailbox();
	});
	afterAll(() => mailbox.close());

	it('puts attachments into the dossier that the subject names, else into the inbox, once, and tells of those that fail', async () => {
		const triggers = observeTriggers(live());
		const dossier = await newDossier(live(), 'E-1');
		const archived = await newDossier(live(), 'E-2', { status: 'closed' });
		const old = { title: 'Old', reference: 'E-2', status: 'archived' };
		await live().service.put(`/dossiers/${archived}`, old);
		const choices = {
			settings: { inbox: 'Emails' },
			credentials: { imap: mailbox.credential },
		};
		const workflow = await importExample(live(), 'email-attachments.json', choices);

		await activateWorkflow(live().session, workflow);
		await untilRead(mailbox);

		const papers = ['Gehaltsabrechnung.pdf', 'Rechnung 請求書.pdf', 'scan (1).jpg'];
		await mailbox.deliver({
			subject: '[E-1] Die Unterlagen für Müller',
			files: papers.map(buildFile),
		});
		await mailbox.deliver({ subject: 'Without a reference', files: [buildFile('first.txt')] });
		await mailbox.deliver({ subject: '[E-9] Ihr VERTRAG', files: [buildFile('second.txt')] });
		const inbox = await until('documents in the inbox', async () => {
			const found = await dossierWith(live(), 'Emails');
			return found && (await listDocuments(live(), found)).length === 2 && found;
		});
		await until('documents', async () => (await listDocuments(live(), dossier)).length === 3);
		expect(await listDocuments(live(), dossier)).toEqual(papers.map(describeDocument));
		expect(await listDocuments(live(), inbox)).toEqual(
			['first.txt', 'second.txt'].map(describeDocument),
		);
		// By the longest word in the file name, then by one in the subject
		expect(await listCategories(live(), dossier)).toEqual({
			'Gehaltsabrechnung.pdf': 'payslip',
			'Rechnung 請求書.pdf': 'invoice',
			'scan (1).jpg': 'correspondence',
		});
		expect(await listCategories(live(), inbox)).toEqual({
			'first.txt': 'correspondence',
			'second.txt': 'contract',
		});
		expect(await triggers.listRuns(workflow, ['error'])).toMatchObject({ count: 0 });

		const more = ['new.txt', ...papers];
		await mailbox.deliver({ subject: 'Re: [E-2] Too late', files: [buildFile('late.txt')] });
		await mailbox.deliver({ subject: 'Re: [E-1] Again, and more', files: more.map(buildFile) });
		const failed = await until('failed execution', async () => {
			const { results } = await triggers.listRuns(workflow, ['error']);
			return results[0];
		});
		const { data } = await awaitExecution(live().session, failed.id, live().signal);
		expect(complaints(data)).toContainEqual(
			expect.stringContaining(
				'1 attachment was not uploaded: late.txt of the email "Re: [E-2] Too late": ',
			),
		);
		await until('new document', async () => (await listDocuments(live(), dossier)).length === 4);
		await until('end of the unread letters', async () => (await mailbox.countUnread()) === 0);
		expect(await listDocuments(live(), dossier)).toEqual(
			[...papers, 'new.txt'].sort().map(describeDocument),
		);
		await deactivateWorkflow(live().session, workflow);
	});
}
