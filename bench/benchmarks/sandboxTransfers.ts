import { setTimeout as wait } from 'node:timers/promises';
import { figure } from '../report/figures.ts';
import type { Figure } from '../report/figures.ts';
import { timeLoad } from '../harness/loadTask.ts';
import type { LoadTask } from '../harness/loadTask.ts';
import { traceProcess } from '../harness/processTrace.ts';
import { openSandboxAlone } from '../harness/sandboxAlone.ts';
import type { SandboxAlone } from '../harness/sandboxAlone.ts';
import type { Bench } from '../harness/stage.ts';

const IDLE_MS = 2_000;

/** A large file in and out: how fast, and the highest memory above that of a sandbox that has only been started. */
export async function transfers(bench: Bench, bytes: number, rounds: number): Promise<Figure[]> {
	const speeds = { multipart: [] as number[], json: [] as number[], download: [] as number[] };
	const above = { multipart: [] as number[], json: [] as number[], download: [] as number[] };
	for (let round = 0; round < rounds; round++) {
		for (const kind of ['multipart', 'json', 'download'] as const) {
			const sandbox = await openSandboxAlone(bench);
			const task = await taskFor(bench, sandbox, kind, bytes);
			const trace = traceProcess(sandbox.sandbox.group.pid);
			const opened = Date.now();
			await wait(IDLE_MS);
			const begin = Date.now();
			const ms = await timeLoad(bench, task);
			await trace.end();
			speeds[kind].push(bytes / 1e3 / ms);
			above[kind].push((trace.peak(begin, Date.now()) - trace.level(opened, begin)) / 1e6);
			await sandbox.close();
		}
	}
	const speed = { multipart: 300, json: 120, download: 300 };
	const names = {
		multipart: 'upload, multipart',
		json: 'upload, JSON',
		download: 'download',
	};
	return (['multipart', 'json', 'download'] as const).flatMap((kind) => [
		figure(names[kind], 'MB/s', speeds[kind], { atLeast: speed[kind] }),
		figure(`${names[kind]}: memory above idle`, 'MB', above[kind], { atMost: 100 }),
	]);
}

/** Prepares a task for the load process, e.g. the dossier that it uploads to. */
async function taskFor(
	bench: Bench,
	{ access, service }: SandboxAlone,
	kind: 'multipart' | 'json' | 'download',
	bytes: number,
): Promise<LoadTask> {
	const { data } = await service.post<{ id: string }>('/dossiers', { title: 'Benchmark' });
	const path = `/dossiers/${data.id}/documents`;
	const uploading = { ...access, kind: 'upload', path, bytes } as const;
	if (kind !== 'download') return { ...uploading, format: kind };
	await timeLoad(bench, { ...uploading, format: 'multipart' });
	const { data: page } = await service.get<{ data: Array<{ id: string }> }>(path);
	return { ...access, kind: 'download', path: `/documents/${page.data[0]?.id}/download` };
}
