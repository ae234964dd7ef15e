import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { figure } from '../report/figures.mts';
import type { Figure } from '../report/figures.mts';
import { openSandboxAlone } from '../harness/stage.mts';
import type { Bench } from '../harness/stage.mts';

const CONNECTIONS = 16;

/** How many small requests are answered in a second. */
export async function rates(bench: Bench, seconds: number, rounds: number): Promise<Figure[]> {
	const sandbox = await openSandboxAlone(bench);
	const dossier = { title: 'Lease of the Hafenstrasse office', tags: ['lease'] };
	const { data } = await sandbox.service.post<{ id: string }>('/dossiers', dossier);
	const { url, headers } = sandbox.access;
	const json = { ...headers, 'Content-Type': 'application/json' };
	const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
	const send = async (method: string, path: string, body: string) =>
		await new Promise<void>((resolve, reject) => {
			const read = (answer: IncomingMessage) => {
				const { statusCode = 0 } = answer;
				if (statusCode > 299) return reject(new Error(`The answer is ${statusCode}.`));
				return answer.resume().once('end', resolve);
			};
			request(url + path, { method, agent, headers: json }, read)
				.once('error', reject)
				.end(body);
		});
	const perSecond = async (time: number, ...asked: Parameters<typeof send>) => {
		let count = 0;
		const begin = performance.now();
		const connection = async () => {
			for (; performance.now() < begin + time * 1e3; count += 1) await send(...asked);
		};
		await Promise.all(Array.from({ length: CONNECTIONS }, connection));
		return (count * 1e3) / (performance.now() - begin);
	};
	const measure = async (...asked: Parameters<typeof send>) => {
		await perSecond(1, ...asked);
		const values: number[] = [];
		for (let round = 0; round < rounds; round++) values.push(await perSecond(seconds, ...asked));
		return values;
	};
	const reads = await measure('GET', `/dossiers/${data.id}`, '');
	const creates = await measure('POST', '/dossiers', JSON.stringify(dossier));
	agent.destroy();
	await sandbox.close();
	return [
		figure(`reads of a dossier, ${CONNECTIONS} connections`, '/s', reads, { atLeast: 3_000 }),
		figure(`creations of a dossier, ${CONNECTIONS} connections`, '/s', creates, {
			atLeast: 1_000,
		}),
	];
}
