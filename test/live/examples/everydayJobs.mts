import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../live.mts';
import type { Live } from '../live.mts';
import { addDocument, newTask } from './records.mts';

/** Long after the sandbox's clock, wherever other tests have moved it. */
const IN_A_WEEK = '2031-04-07T12:00:00.000Z';

const readSample = async (name: string) =>
	await readFile(join(root, 'examples/files/2026-001 Müller GmbH', name));

const LETTER = 'Schriftwechsel/Correspondence 2026-02-11 Betriebsprüfung.docx';
const INVOICE = 'Invoice 2026-0117.pdf';

type Given = Record<string, unknown>;

/** The tools of the example, as a client calls them. */
export interface Tools {
	live: () => Live;
	/** Gives the text that the model gets. */
	call: (name: string, given: Given) => Promise<{ text: string }>;
	/** Gives the records of a call that succeeds. */
	read: (name: string, given: Given) => Promise<Given[]>;
	/** How many calls there were. */
	calls: () => number;
	/** The ID of the dossier. */
	dossier: () => string;
}

/** Everyday jobs, as a model does them: each call has only what was asked for, or what an earlier call gave. */
export function everydayJobs({ live, read, calls, dossier }: Tools): void {
	const jobs: Record<string, { calls: number; work: () => Promise<void> }> = {
		"What is missing in Grace's dossier?": {
			calls: 2,
			work: async () => {
				const [found] = await read('find_dossiers', { Search: 'Grace' });
				const documents = await read('list_documents', { Dossier: found?.id });
				expect(documents.map(({ file_name }) => file_name)).toContain('letter.txt');
			},
		},
		'Put this note into MCP-1.': {
			calls: 1,
			work: async () => {
				const given = { Dossier: 'MCP-1', Name: 'call.txt', Text: 'She will send the rest.' };
				expect(await read('add_note', given)).toMatchObject([
					{ file_name: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d call\.txt$/) },
				]);
			},
		},
		'What did she write?': {
			calls: 2,
			work: async () => {
				const documents = await read('list_documents', { Dossier: 'MCP-1' });
				const letter = documents.find(({ file_name }) => file_name === 'letter.txt');
				const [text] = await read('read_document', { Document: letter?.id });
				expect(text?.content).toContain('Please call me back.');
			},
		},
		'What do the letter and the invoice say?': {
			calls: 3,
			work: async () => {
				for (const name of [LETTER, INVOICE]) {
					await addDocument(live(), dossier(), name.replace(/^.*\//, ''), await readSample(name));
				}
				const documents = await read('list_documents', { Dossier: 'MCP-1' });
				const readText = async (ending: RegExp) => {
					const found = documents.find(({ file_name }) => ending.test(String(file_name)));
					const [document] = await read('read_document', { Document: found?.id });
					return String(document?.content);
				};
				const letter = await readText(/Betriebsprüfung\.docx$/);
				expect(letter).toMatch(/^BEGIN \S+\n.*Sehr geehrter Herr Brückner,\n.*\nEND \S+$/s);
				expect(letter).toContain('Müller & Söhne GmbH');
				expect(letter).not.toMatch(/<w:|&amp;/);
				expect(await readText(/0117\.pdf$/)).toMatch(/^BEGIN \S+\n.*2026-0117.*\nEND \S+$/s);
			},
		},
		'Remind me of Grace in a week.': {
			calls: 2,
			work: async () => {
				const [found] = await read('find_dossiers', { Search: 'Grace' });
				const given = { Title: 'Ask Grace again', Dossier: found?.id, Due_At: IN_A_WEEK };
				expect(await read('create_task', given)).toMatchObject([{ due_at: IN_A_WEEK }]);
			},
		},
		'Grace has called: that is done.': {
			calls: 2,
			work: async () => {
				const tasks = await read('list_tasks', { Dossier: 'MCP-1', Search: 'Ask Grace again' });
				const done = await read('complete_task', { Task: tasks[0]?.id });
				expect(done).toMatchObject([{ status: 'completed' }]);
			},
		},
		'Is anything overdue in MCP-1?': {
			calls: 1,
			work: async () => {
				const tasks = await read('list_tasks', { Dossier: 'MCP-1', Overdue: true });
				expect(tasks).toEqual([
					{ notice: expect.stringMatching(/^Nothing was found with Dossier/) },
				]);
			},
		},
		'What is due in MCP-1 by the end of April 2031, and what before?': {
			calls: 2,
			work: async () => {
				const listBefore = async (moment: string) => {
					const tasks = await read('list_tasks', { Dossier: 'MCP-1', Due_Before: moment });
					return tasks.map(({ title }) => title);
				};
				expect(await listBefore('2031-05-01T00:00:00Z')).toContain('Call back');
				expect(await listBefore('2031-03-31T00:00:00Z')).not.toContain('Call back');
			},
		},
		'What has this colleague to do?': {
			calls: 1,
			work: async () => {
				await newTask(live(), { title: 'Hers', dossier_id: dossier(), assignee_id: 'usr_mcp' });
				const tasks = await read('list_tasks', { Assignee: 'usr_mcp' });
				expect(tasks).toMatchObject([{ title: 'Hers', assignee_id: 'usr_mcp' }]);
			},
		},
	};

	it.each(Object.entries(jobs))('does an everyday job: %s', async (_, job) => {
		const before = calls();
		await job.work();
		expect(calls() - before).toBe(job.calls);
	});
}
