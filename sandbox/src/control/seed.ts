import type { RequestContext } from '../accounts/caller.ts';
import { readText } from '../platform/json.ts';
import type { Service } from '../service.ts';
import { createContext } from './context.ts';

const subjects = [
	'Lease of the Hafenstrasse office',
	'Annual accounts',
	'Purchase of a delivery van',
	'Application for a building permit',
	'Employment of Mara Lindt',
	'Insurance claim after a burst pipe',
];
const types = ['lease', 'accounting', 'purchase', 'permit', 'personnel', 'claim'];
const states = ['open', 'in_progress', 'pending', 'closed'];
const categories = ['contract', 'invoice', 'correspondence', 'certificate', 'other'];

/** How many dossiers are created before the service answers other requests again. */
const batch = 100;

/** Fills a dataset with example dossiers and documents, in the name of its own user. */
export async function seedDataset(
	service: Service,
	dataset: { n: number; userId: string },
	counts: { dossiers: number; documents: number },
): Promise<void> {
	for (let at = 0; at < counts.dossiers; at++) {
		const dossier = service.dossiers.create(createContext(service, dataset), {
			title: `${pick(subjects, at)} ${at + 1}`,
			type: pick(types, at),
			status: pick(states, at),
			tags: [pick(types, at)],
		});
		for (let n = 0; n < counts.documents; n++) {
			await addDocument(service, createContext(service, dataset), readText(dossier.id) ?? '', n);
		}
		if (at % batch === batch - 1) await new Promise((resolve) => setImmediate(resolve));
	}
}

async function addDocument(
	service: Service,
	act: RequestContext,
	dossier: string,
	n: number,
): Promise<void> {
	const category = pick(categories, n);
	const file = await service.files.receive();
	try {
		await file.write(Buffer.from(`Example ${category} ${n + 1} of ${dossier}.\n`));
		const content = await file.finish();
		const fields = { file_name: `${category} ${n + 1}.txt`, mime_type: 'text/plain', category };
		service.documents.add(act, dossier, { fields, file, content });
	} finally {
		await file.discard();
	}
}

function pick(choices: string[], n: number): string {
	return choices[n % choices.length] ?? '';
}
