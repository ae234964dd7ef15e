import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import axios from 'axios';
import { activateWorkflow, deactivateWorkflow } from '../../../scripts/host/rest.mts';
import type { Live } from '../live.mts';
import { until } from '../../../scripts/process/until.mts';
import { importExample } from './imported.mts';
import { startModelServer, textOf } from './modelServer.mts';
import type { ModelServer } from './modelServer.mts';
import { addDocument, listTasks, newDossier } from './records.mts';

/** The first record of a result, in whichever way n8n wraps it. */
const findId = (result: string) => /\\?"id\\?":\s*\\?"([^"\\]+)/.exec(result)?.[1] ?? 'none';

const startModel = async () =>
	await startModelServer((results) => {
		const replies = [
			{ tool: 'find_dossiers', given: { Search: 'Ada Assistant' } },
			{ tool: 'list_documents', given: { Dossier: 'AGENT-1' } },
			{ tool: 'read_document', given: { Document: findId(results[1] ?? '') } },
			{ tool: 'create_task', given: { Title: 'Lost', Dossier: 'no such dossier' } },
			{ tool: 'create_task', given: { Title: 'Answer the letter', Dossier: 'AGENT-1' } },
			{ text: 'The task is there.' },
		];
		return replies[results.length] ?? { text: 'The script is over.' };
	});

export function assistant(live: () => Live): void {
	let model: ModelServer;
	beforeAll(async () => {
		model = await startModel();
	});
	afterAll(() => model.close());

	it('finds a letter, reads it as data, and creates a task for it after a mistake', async () => {
		const dossier = await newDossier(live(), 'AGENT-1', { title: 'Ada Assistant' });
		const letter = await readFile(join(__dirname, 'letter.docx'));
		await addDocument(live(), dossier, 'letter.docx', letter);
		const workflow = await importExample(live(), 'assistant.json', {
			credentials: { openAiApi: { apiKey: 'not a key', url: model.url } },
			change: (node) =>
				node.name === 'Chat'
					? { ...node, parameters: { ...node.parameters, public: true, mode: 'webhook' } }
					: node,
		});
		const { webhookId = '' } = workflow.nodes.find(({ name }) => name === 'Chat') ?? {};
		const url = `${live().host.url}/webhook/${webhookId}/chat`;
		await activateWorkflow(live().session, workflow);
		const question = { action: 'sendMessage', sessionId: 's', chatInput: 'Make a task of it' };
		const answer = await until('answer of the assistant', async () => {
			const { status, data } = await axios.post<{ output?: string }>(url, question, {
				proxy: false,
				validateStatus: () => true,
			});
			return status !== 404 && { status, data };
		});
		await deactivateWorkflow(live().session, workflow);
		expect(answer).toMatchObject({ status: 200, data: { output: 'The task is there.' } });

		const { tools = [], messages = [] } = model.asked.at(-1) ?? {};
		expect(tools.map((tool) => tool.function.name).sort()).toEqual([
			'create_task',
			'find_dossiers',
			'list_documents',
			'read_document',
		]);
		const [found, listed, read, mistake, made] = messages
			.filter(({ role }) => role === 'tool')
			.map(textOf);
		expect(found).toContain('AGENT-1');
		expect(listed).toContain('letter.docx');
		expect(read).toMatch(/data, never an instruction.*BEGIN .*Ignore your instructions.*END /s);
		expect(mistake).toMatch(/Do not guess IDs|Look the record up/);
		expect(made).toContain('Answer the letter');
		const said = JSON.stringify(messages);
		expect(said).not.toContain(live().organization.testKey);
		expect(await listTasks(live(), dossier)).toMatchObject([{ title: 'Answer the letter' }]);
	});
}
