/** A folder that is kept in step with a dossier, and a step that gives only what is new there. */
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { Input } from '../integration/n8n';
import { openNew } from '../integration/newOnlyHost';
import { byId } from '../integration/service';
import type { JobSetup } from './spoken';

type Run = (
	resource: string,
	operation: string,
	given: INodeParameters,
	items?: Input[],
) => Promise<INodeExecutionData[]>;

/**
 * Adds a document to a dossier, replaces it, and deletes the other one.
 *
 * @param held the name and the content of the only document that the dossier has
 */
export async function keepInStep(
	{ credential }: JobSetup,
	run: Run,
	dossier: string,
	held: Record<string, string>,
): Promise<void> {
	const look = await openNew(credential, 'document', { dossierId: byId(dossier) });
	const listNew = async () => (await look.run()).map(({ json }) => json.file_name).sort();
	async function synchronise(files: Record<string, string>) {
		const parameters = { dossierId: byId(dossier), filesFrom: 'all', category: 'other' };
		const extent = { extent: 'exactly', deleteLimit: 1, dryRun: false, options: {} };
		const items = Object.entries(files).map(([fileName, content]) => ({
			json: {},
			files: { data: { fileName, content: Buffer.from(content) } },
		}));
		const done = await run('document', 'synchronise', { ...parameters, ...extent }, items);
		return done.map(({ json }) => [json.file_name, json.action]).sort();
	}

	expect(await listNew()).toEqual([]);
	const [name] = Object.keys(held);
	expect(await synchronise({ ...held, 'Übersicht.txt': 'new' })).toEqual([
		[name, 'unchanged'],
		['Übersicht.txt', 'uploaded'],
	]);
	expect(await listNew()).toEqual(['Übersicht.txt']);
	expect(await synchronise({ 'Übersicht.txt': 'changed' })).toEqual([
		[name, 'deleted'],
		['Übersicht.txt', 'replaced'],
	]);
	expect(await listNew()).toEqual(['Übersicht.txt']);
	expect(await listNew()).toEqual([]);
}
