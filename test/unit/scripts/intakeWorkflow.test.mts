import { join } from 'node:path';
import { createRunExecutionData } from 'n8n-workflow';
import { complaints } from '../../../scripts/host/executions.mts';
import { readWorkflow, withFolder } from '../../../scripts/intake/examples.mts';

const example = join(__dirname, '../../../examples/document-intake.json');
const credential = { id: 'c1', name: 'Mine' };

describe('the imported intake workflow', () => {
	it('has the given credential in every Dossier node', async () => {
		const { nodes } = await readWorkflow(example, credential);
		const dossierNodes = nodes.filter(({ type }) => type === 'n8n-nodes-dossier.dossier');
		expect(dossierNodes.length).toBeGreaterThan(0);
		for (const node of dossierNodes) expect(node.credentials).toEqual({ dossierApi: credential });
	});

	it('has the given folder in its settings and no other change', async () => {
		const { nodes } = await readWorkflow(example, credential);
		const changed = withFolder(nodes, '/a/"b"');
		expect(JSON.stringify(changed)).toContain('/a/\\"b\\"');
		expect(changed.filter((node, index) => node !== nodes[index])).toHaveLength(1);
	});

	it('is refused if it has no folder to set', () => {
		expect(() => withFolder([], '/a')).toThrow('no node "Settings" that sets "folder"');
	});

	it('is refused if the file is not a workflow', async () => {
		const other = join(__dirname, '../../../package.json');
		await expect(readWorkflow(other, credential)).rejects.toThrow(
			'is not a workflow as n8n exports it',
		);
	});
});

describe('the errors of an execution', () => {
	it('are listed once each, with their node', () => {
		const items = [
			{ json: { error: 'No such dossier' } },
			{ json: { error: { message: 'No such dossier' } } },
			{ json: { id: 'doc_1' } },
		];
		const data = createRunExecutionData({
			resultData: {
				runData: {
					Upload: [
						{
							startTime: 0,
							executionIndex: 0,
							executionTime: 1,
							source: [],
							data: { main: [items] },
						},
					],
				},
			},
		});
		expect(complaints(data)).toEqual(['At "Upload": No such dossier']);
	});
});
