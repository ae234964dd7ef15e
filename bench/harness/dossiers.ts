import { createReadStream } from 'node:fs';
import type { Member } from './stage.ts';

/** A new dossier; gives its id. */
export async function newDossier({ service }: Member): Promise<string> {
	const { data } = await service.post<{ id: string }>('/dossiers', { title: 'Benchmark' });
	return data.id;
}

/** Adds a file to a dossier; gives the id of the document. */
export async function addDocument(
	{ service }: Member,
	dossier: string,
	path: string,
): Promise<string> {
	const { data } = await service.postForm<{ id: string }>(
		`/dossiers/${dossier}/documents`,
		{ category: 'other', file: createReadStream(path) },
		{ maxRedirects: 0, maxBodyLength: Infinity },
	);
	return data.id;
}
