/** What uploads need and leave behind: dossiers, files that n8n may read, and the documents made of them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Live } from './live.ts';
import type { Step } from '../../scripts/host/workflows.ts';

/** A step that reads the file at a path, or at the one that an expression gives. */
export const readFiles = (fileSelector: string): Step => ({
	name: 'Read',
	type: 'n8n-nodes-base.readWriteFile',
	typeVersion: 1.1,
	parameters: { operation: 'read', fileSelector, options: {} },
	onError: 'continueRegularOutput',
});

export function openUploads(live: Live) {
	return {
		newDossier: async (): Promise<string> => {
			const { data } = await live.service.post<{ id: string }>('/dossiers', { title: 'Uploads' });
			return data.id;
		},

		/** The file names of the documents of a dossier. */
		listDocuments: async (dossier: string): Promise<string[]> => {
			const { data } = await live.service.get<{ data: Array<{ file_name: string }> }>(
				`/dossiers/${dossier}/documents`,
			);
			return data.data.map(({ file_name: name }) => name).sort();
		},

		/** Files in a folder that n8n may read; gives their paths. */
		filesIn: async (name: string, names: string[]): Promise<string[]> => {
			const folder = join(live.folder, name);
			await mkdir(folder);
			const paths = names.map((one) => join(folder, one));
			for (const path of paths) await writeFile(path, `content of ${path}`);
			return paths;
		},
	};
}
