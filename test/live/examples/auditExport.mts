import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Execution } from '../../../scripts/host/rest.mts';
import { complaints, readItems, runStored } from '../../../scripts/host/executions.mts';
import type { Live } from '../live.mts';
import { importExample } from './imported.mts';
import { auditLog, newDossier } from './records.mts';

const DAY_MS = 24 * 60 * 60 * 1000;

const readDays = (execution: Execution) =>
	readItems(execution, 'One Item for Each Day').map(({ json: { day } }) =>
		typeof day === 'string' ? day : '',
	);

/** The IDs in a file of the export: the first column, without its heading. */
async function readIds(path: string): Promise<string[]> {
	const [heading, ...lines] = (await readFile(path, 'utf8')).split('\r\n').filter(Boolean);
	expect(heading).toMatch(/^id,action,/);
	return lines.map((line) => line.split(',')[0] ?? '');
}

/** The tests start the workflow by hand, since its schedule is n8n's own part. */
export function auditExport(live: () => Live): void {
	async function importFor(folder: string) {
		await mkdir(folder);
		const settings = { folder: `${folder}/`, days: 3 };
		return await importExample(live(), 'audit-export.json', {
			settings,
			workflowSettings: { timezone: 'UTC' },
		});
	}

	it('writes one file with the entries of each of the last days, and the same files in a second run', async () => {
		const { clock } = live().sandbox;
		await clock.move(-DAY_MS);
		await newDossier(live(), 'audit-yesterday');
		await clock.move(DAY_MS);
		await newDossier(live(), 'audit-today');
		const folder = join(live().folder, 'audit-logs');
		const workflow = await importFor(folder);

		const first = await runStored(live(), workflow);
		expect(complaints(first.data)).toEqual([]);
		const days = readDays(first);
		expect(days).toHaveLength(3);
		const names = days.map((day) => `audit-log-${day}.csv`).sort();
		expect(await readdir(folder)).toEqual(names);

		let entries: string[] = [];
		for (const day of days) {
			const from = `${day}T00:00:00Z`;
			const to = new Date(Date.parse(from) + DAY_MS).toISOString();
			const wanted = await auditLog(live(), { from, to });
			const ids = await readIds(join(folder, `audit-log-${day}.csv`));
			expect(ids.sort()).toEqual(wanted.map(({ id }) => id).sort());
			entries = [...entries, ...wanted.map(({ target }) => String(target.label))];
		}
		expect(entries).toContain('Case audit-yesterday');

		const read = async () =>
			await Promise.all(names.map(async (name) => await readFile(join(folder, name), 'utf8')));
		const before = await read();
		const again = await runStored(live(), workflow);
		expect([again.status, await readdir(folder), await read()]).toEqual(['success', names, before]);
	});

	it('writes the other days if one cannot be written, and names that one', async () => {
		const folder = join(live().folder, 'audit-logs-blocked');
		const workflow = await importFor(folder);
		const [, blocked = ''] = readDays(await runStored(live(), workflow));
		const names = await readdir(folder);
		const rest = names.filter((name) => !name.includes(blocked));
		expect([names.length, rest.length]).toEqual([3, 2]);
		for (const name of names) await rm(join(folder, name));
		await mkdir(join(folder, `audit-log-${blocked}.csv`));

		const execution = await runStored(live(), workflow);
		expect(execution.status).toBe('error');
		expect(complaints(execution.data)).toContainEqual(
			expect.stringContaining(`1 day of the audit log was not exported: ${blocked}: `),
		);
		for (const name of rest) await readIds(join(folder, name));
	});
}
