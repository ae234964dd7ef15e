/** A folder that is kept in step with a dossier. */
import { byId } from '../integration/service';
import type { Job } from './work';

/**
 * Adds a document to a dossier, replaces it, and deletes the other one.
 *
 * @param held the name and the content of the only document that the dossier has
 */
export async function keepInStep(
	run: Job['run'],
	dossier: string,
	held: Record<string, string>,
): Promise<void> {
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

	const [name] = Object.keys(held);
	expect(await synchronise({ ...held, 'Übersicht.txt': 'new' })).toEqual([
		[name, 'unchanged'],
		['Übersicht.txt', 'uploaded'],
	]);
	expect(await synchronise({ 'Übersicht.txt': 'changed' })).toEqual([
		[name, 'deleted'],
		['Übersicht.txt', 'replaced'],
	]);
}
