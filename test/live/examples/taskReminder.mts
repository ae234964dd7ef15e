import type { INode } from 'n8n-workflow';
import { openReceiver } from '../../../sandbox/test/receiver.mts';
import type { Receiver } from '../../../sandbox/test/receiver.mts';
import { complaints } from '../../../scripts/host/executions.mts';
import type { Live } from '../live.mts';
import { until } from '../../../scripts/process/until.mts';
import { observeTriggers } from '../triggers.mts';
import { importExample, whileActive } from './imported.mts';
import { newDossier, newTask } from './records.mts';

const DAY_MS = 24 * 60 * 60 * 1000;

export function taskReminder(live: () => Live): void {
	let chat: Receiver;
	afterEach(() => chat.close());

	it('writes to the chat a day before a task is due, and names the person, the task, the time and the dossier', async () => {
		chat = await openReceiver();
		const triggers = observeTriggers(live());
		const { clock } = live().sandbox;
		const assignments = [{ id: 'p0', name: 'usr_anna', value: '@anna', type: 'string' }];
		const change = (node: INode): INode =>
			node.name === 'People'
				? { ...node, parameters: { ...node.parameters, assignments: { assignments } } }
				: node;
		const choices = {
			settings: { chat_url: chat.url },
			workflowSettings: { timezone: 'Europe/Berlin' },
			change,
		};
		const workflow = await importExample(live(), 'task-reminder.json', choices);
		await whileActive(live(), workflow, async () => {
			const dossier = await newDossier(live(), 'T-1', { title: 'Lease' });
			const dueAt = new Date(Date.parse((await clock.read()).now) + 3 * DAY_MS).toISOString();
			const task = { due_at: dueAt, assignee_id: 'usr_anna' };
			await newTask(live(), { ...task, title: 'Sign the "lease"', dossier_id: dossier });
			await newTask(live(), { ...task, title: 'Call back', assignee_id: null });
			await newTask(live(), { ...task, title: 'Done before', status: 'completed' });
			await triggers.idle();
			expect(chat.received).toEqual([]);

			await clock.move(2 * DAY_MS + 60_000);
			const executions = await triggers.awaitRuns(workflow, 2);
			await clock.move(-2 * DAY_MS - 60_000);
			// A task without a dossier leaves a hint in the data of the execution.
			expect(executions.map(({ status }) => status)).toEqual(['success', 'success']);
			const due = new Intl.DateTimeFormat('en-GB', {
				timeZone: 'Europe/Berlin',
				weekday: 'long',
				day: 'numeric',
				month: 'long',
				year: 'numeric',
				hour: '2-digit',
				minute: '2-digit',
			}).formatToParts(new Date(dueAt));
			const part = (type: string) => due.find((one) => one.type === type)?.value;
			const when = `${part('weekday')}, ${part('day')} ${part('month')} ${part('year')}, ${part('hour')}:${part('minute')}`;
			expect(chat.received.map(({ body }): unknown => JSON.parse(body)).sort(byText)).toEqual([
				{ text: `@anna: "Sign the "lease"" is due on ${when}, in the dossier T-1 Lease.` },
				{ text: `Somebody: "Call back" is due on ${when}.` },
			]);
		});
	});

	it('fails, so that it can be retried, if the chat refuses the message', async () => {
		chat = await openReceiver({ status: 404 });
		const triggers = observeTriggers(live());
		const settings = { chat_url: chat.url };
		const workflow = await importExample(live(), 'task-reminder.json', { settings });
		await whileActive(live(), workflow, async () => {
			const dueAt = new Date(
				Date.parse((await live().sandbox.clock.read()).now) + DAY_MS / 2,
			).toISOString();
			await newTask(live(), { title: 'Urgent', due_at: dueAt });
			// Under load, n8n lists an execution as finished a moment before it gives out its data.
			const message = await until('complaint', async () => {
				const executions = await triggers.awaitRuns(workflow, 1);
				return executions.flatMap(({ data }) => complaints(data))[0];
			});
			expect(message).toMatch(/^At "Send the Reminder": /);
			expect(chat.received).toHaveLength(3);
		});
	});
}

const byText = (one: unknown, other: unknown) =>
	JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
