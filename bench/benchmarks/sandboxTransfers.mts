import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { writeBigFile } from '../../scripts/intake/caseFiles.mts';
import { timeCurl } from '../harness/curl.mts';
import { traceProcess } from '../harness/measure.mts';
import { figure } from '../report/figures.mts';
import type { Figure } from '../report/figures.mts';
import { openSandboxAlone } from '../harness/stage.mts';
import type { Bench } from '../harness/stage.mts';

const IDLE_MS = 2_000;
/** A multiple of three, so that the base64 of one piece continues that of the piece before. */
const PIECE = { highWaterMark: 3 * 256 * 1024 };

const WAYS = [
	{ what: 'upload, multipart', atLeast: 300 },
	{ what: 'upload, JSON', atLeast: 120 },
	{ what: 'download', atLeast: 300 },
] as const;

/** Writes the JSON of an upload beside a file. */
async function writeJson(path: string): Promise<string> {
	const json = `${path}.json`;
	const write = async function* (pieces: AsyncIterable<Buffer>) {
		yield '{"file_name":"big.bin","mime_type":"application/octet-stream","category":"other","content_base64":"';
		for await (const piece of pieces) yield piece.toString('base64');
		yield '"}';
	};
	await pipeline(createReadStream(path, PIECE), write, createWriteStream(json));
	return json;
}

/** A large file in and out: how fast, and the highest memory above that of a sandbox that has only been started. */
export async function transfers(bench: Bench, bytes: number, rounds: number): Promise<Figure[]> {
	const speeds = WAYS.map((): number[] => []);
	const above = WAYS.map((): number[] => []);
	for (let round = 0; round < rounds; round++) {
		for (const [at, { what }] of WAYS.entries()) {
			const opened = await openSandboxAlone(bench);
			const { sandbox, service, access, folder } = opened;
			const file = join(folder, 'big.bin');
			await writeBigFile(file, bytes, bench.lifecycle.signal);
			const { data } = await service.post<{ id: string }>('/dossiers', { title: 'Benchmark' });
			const path = `/dossiers/${data.id}/documents`;
			const form = ['-F', 'category=other', '-F', `file=@${file}`, access.url + path];
			let request = form;
			if (what === 'upload, JSON') {
				const type = ['-H', 'Content-Type: application/json'];
				request = ['-X', 'POST', ...type, '-T', await writeJson(file), access.url + path];
			} else if (what === 'download') {
				await timeCurl(access.headers, form);
				const { data: page } = await service.get<{ data: Array<{ id: string }> }>(path);
				request = [`${access.url}/documents/${page.data[0]?.id}/download`];
			}
			const trace = traceProcess(sandbox.group.pid);
			const idleSince = Date.now();
			await wait(IDLE_MS);
			const begin = Date.now();
			const [ms = NaN] = await timeCurl(access.headers, request);
			await trace.end();
			speeds[at]?.push(bytes / 1e3 / ms);
			above[at]?.push(trace.above(begin, Date.now(), idleSince) / 1e6);
			await opened.close();
		}
	}
	return WAYS.flatMap(({ what, atLeast }, at) => [
		figure(what, 'MB/s', speeds[at] ?? [], { atLeast }),
		figure(`${what}: memory above idle`, 'MB', above[at] ?? [], { atMost: 100 }),
	]);
}
