/** Each example workflow does its job in a real n8n. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { INode, INodeTypeDescription } from 'n8n-workflow';
import { readWorkflow } from '../../scripts/intake/examples.mts';
import { askClient, clientAnswered } from './examples/askClient.mts';
import { assistant } from './examples/assistant.mts';
import { auditExport } from './examples/auditExport.mts';
import { checkContract, documentIntake, newDossiers } from './examples/byHand.mts';
import { documentReceived } from './examples/documentReceived.mts';
import { dossierExport } from './examples/dossierExport.mts';
import { emailAttachments } from './examples/emailAttachments.mts';
import { failedFiles } from './examples/failedFiles.mts';
import { folderSync } from './examples/folderSync.mts';
import { inviteByQr } from './examples/inviteByQr.mts';
import { mcpServer } from './examples/mcpServer.mts';
import { reviewTask } from './examples/reviewTask.mts';
import { taskReminder } from './examples/taskReminder.mts';
import { HOSTS, OPENING_MS, openLive, root } from './live.mts';
import type { Live } from './live.mts';

/** Declares the tests of an example. What it returns declares further ones, which run last since n8n needs minutes until then. */
type DeclareTests = (live: () => Live) => (() => void) | void;

const testsByFile: Record<string, DeclareTests> = {
	// The first, since it finds every document in the sandbox that is not of its files
	'document-intake.json': documentIntake,
	'ask-client.json': askClient,
	'assistant.json': assistant,
	'audit-export.json': auditExport,
	'check-contract.json': checkContract,
	'client-answered.json': clientAnswered,
	'document-received.json': documentReceived,
	'dossier-export.json': dossierExport,
	'email-attachments.json': emailAttachments,
	'failed-files.json': failedFiles,
	'folder-sync.json': folderSync,
	'invite-by-qr.json': inviteByQr,
	'mcp-server.json': mcpServer,
	'new-dossiers.json': newDossiers,
	'review-task.json': reviewTask,
	'task-reminder.json': taskReminder,
};

/** Longer than any wait within a test, so that the wait fails first and names what did not come. */
jest.setTimeout(1_200_000);

const folder = join(root, 'examples');
const examples = readdirSync(folder).filter((name) => name.endsWith('.json'));

it('Each example has a test', () => {
	expect(Object.keys(testsByFile).sort()).toEqual(examples.sort());
});

describe.each(HOSTS)('On %s,', (host) => {
	let live: Live;
	beforeAll(async () => {
		live = await openLive(host);
	}, OPENING_MS);
	afterAll(() => live.close());

	it('n8n has every node of the examples, in their versions', async () => {
		const { data: types } = await live.session.get<INodeTypeDescription[]>('/types/nodes.json', {
			baseURL: live.host.url,
		});
		const has = ({ type, typeVersion }: INode) =>
			types.some(({ name, version }) => name === type && [version].flat().includes(typeVersion));
		const missing: string[] = [];
		for (const file of examples) {
			const { nodes } = await readWorkflow(join(folder, file), { id: '', name: '' });
			const unknown = nodes.filter((node) => !has(node));
			missing.push(...unknown.map(({ name }) => `${file}: ${name}`));
		}
		expect(missing).toEqual([]);
	});

	const last: Array<[file: string, declareLast: () => void]> = [];
	for (const [file, declareTests] of Object.entries(testsByFile)) {
		describe(file, () => {
			const declareLast = declareTests(() => live);
			if (declareLast) last.push([file, declareLast]);
		});
	}
	for (const [file, declareLast] of last) describe(`${file}, in the end,`, declareLast);
});
