import { figure } from '../report/figures.ts';
import type { Figure } from '../report/figures.ts';
import { runLoad } from '../harness/loadTask.ts';
import type { LoadTask } from '../harness/loadTask.ts';
import { openSandboxAlone } from '../harness/sandboxAlone.ts';
import type { Bench } from '../harness/stage.ts';

const CONNECTIONS = 16;

/** How many small requests are answered in a second. */
export async function rates(bench: Bench, seconds: number, rounds: number): Promise<Figure[]> {
	const sandbox = await openSandboxAlone(bench);
	const dossier = { title: 'Lease of the Hafenstrasse office', tags: ['lease'] };
	const { data } = await sandbox.service.post<{ id: string }>('/dossiers', dossier);
	const perSecond = async (method: string, path: string, body?: string) => {
		const { access } = sandbox;
		const load = { kind: 'rate', method, path, body, connections: CONNECTIONS } as const;
		const task = (time: number): LoadTask => ({ ...access, ...load, seconds: time });
		await runLoad(bench, task(1));
		const values: number[] = [];
		for (let round = 0; round < rounds; round++) {
			const { count = 0, milliseconds } = await runLoad(bench, task(seconds));
			values.push((count * 1e3) / (milliseconds[0] ?? NaN));
		}
		return values;
	};
	const reads = await perSecond('GET', `/dossiers/${data.id}`);
	const creates = await perSecond('POST', '/dossiers', JSON.stringify(dossier));
	await sandbox.close();
	return [
		figure(`reads of a dossier, ${CONNECTIONS} connections`, '/s', reads, { atLeast: 3_000 }),
		figure(`creations of a dossier, ${CONNECTIONS} connections`, '/s', creates, {
			atLeast: 1_000,
		}),
	];
}
