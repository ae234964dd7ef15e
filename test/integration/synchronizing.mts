/** What the tests of Document: Synchronize ask for, and how they tell what came of it. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { sha256 } from './fakeService.mts';
import type { Input, Run } from './n8n.mts';
import { usePlainService } from './plainService.mts';
import { byId } from './service.mts';

/** One item with one file, for a dossier. */
export const item = (dossier: unknown, fileName: string, text: string): Input => ({
	json: { dossier: dossier as string },
	files: { data: { fileName, content: Buffer.from(text) } },
});

export const files = (dossier: unknown, wanted: Record<string, string>) =>
	Object.entries(wanted).map(([name, text]) => item(dossier, name, text));

export const synchronize = (parameters: INodeParameters = {}): INodeParameters => ({
	resource: 'document',
	operation: 'synchronize',
	dossierId: byId('={{ $json.dossier }}'),
	filesFrom: 'all',
	extent: 'atLeast',
	dryRun: false,
	options: {},
	...parameters,
});

export const exactly = (deleteLimit: number, parameters: INodeParameters = {}) =>
	synchronize({ extent: 'exactly', deleteLimit, ...parameters });

/** Has the node go on after an error. */
export const going: Partial<Run> = { onError: 'continueRegularOutput' };

export const tell = (items: Array<{ json: IDataObject }>) =>
	items.map(({ json }) => [json.file_name, json.action]).sort();

/** A service with two dossiers that gives no checksums, anew for each test of a file. */
export function useSynchronized() {
	const plain = usePlainService();
	const { service, run: runOnItems } = plain;
	beforeEach(() => {
		service.habits.hasChecksums = false;
		for (const id of ['dos_1', 'dos_2']) service.dossiers.set(id, { id, title: id });
	});

	const run = async (parameters: INodeParameters, items: Input[], more?: Partial<Run>) =>
		await runOnItems(parameters, { items, ...more });

	const contents = (dossier = 'dos_1') =>
		[...service.documents.values()]
			.filter((one) => one.dossier_id === dossier)
			.map((one) => [one.file_name, one.content.toString()])
			.sort();

	const writes = () => service.requests.filter((request) => !request.startsWith('GET'));

	const has = (fileName: string, text: string, id = `doc_${service.documents.size}`) => {
		service.documents.set(id, {
			id,
			dossier_id: 'dos_1',
			file_name: fileName,
			size_bytes: text.length,
			checksum_sha256: sha256(text),
			content: Buffer.from(text),
		});
		return id;
	};

	return { ...plain, run, contents, writes, has };
}
