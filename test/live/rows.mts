/** A real n8n as the host of the table's rows: each is a workflow of its own, run once. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IBinaryData, IDataObject } from 'n8n-workflow';
import { createCredential, importWorkflow } from '../../scripts/host/rest.mts';
import { buildWorkflow, DOSSIER, readFiles, splitOut, START } from '../../scripts/host/steps.mts';
import type { Step } from '../../scripts/host/steps.mts';
import { runRow } from '../table/rows.mts';
import type { Host } from '../table/rows.mts';
import type { Row } from '../table/misbehaviors/misbehavior.mts';
import type { Live } from './live.mts';
import { readItems, runStored } from '../../scripts/host/executions.mts';

/**
 * How many rows run at once: they wait for the service, but some hold files of 16 MB in memory. n8n 1 has one connection to
 * its database, on which transactions of requests at the same moment get mixed up ("no such savepoint").
 */
const AT_ONCE = { 'n8n-1': 1, 'n8n-2': 3 };

/** The faults of each row, by its name. */
export async function runRows(
	live: Live,
	hostName: keyof typeof AT_ONCE,
	rows: Row[],
): Promise<Map<string, string[]>> {
	const found = new Map<string, string[]>();
	const left = [...rows];
	const work = async () => {
		for (let row = left.shift(); row; row = left.shift()) {
			found.set(row.name, await runRow(row, async (one) => await runWork(live, one)));
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE[hostName] }, work));
	return found;
}

/** Steps that begin a workflow by hand with one item for each of these records. */
const startWith = (records: Array<Record<string, unknown>>): Step[] => [
	START,
	{
		name: 'Records',
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		parameters: { mode: 'raw', jsonOutput: JSON.stringify({ records }), options: {} },
	},
	splitOut('Items', 'records'),
];

/** The items of a row: their files are written where n8n may read them, and join the records again. */
async function stepsFor(live: Live, { items }: Parameters<Host>[0]): Promise<Step[]> {
	const folder = await mkdtemp(join(live.folder, 'row-'));
	const records: IDataObject[] = [];
	for (const { json, files } of items) {
		const file = files?.data;
		if (typeof file !== 'object') records.push(json);
		else {
			const path = join(folder, file.fileName);
			await writeFile(path, file.content);
			records.push({ ...json, path });
		}
	}
	const steps = startWith(records);
	if (!items.some(({ files }) => files?.data)) return steps;
	return [
		...steps,
		readFiles('={{ $json.path }}'),
		{
			name: 'Join',
			type: 'n8n-nodes-base.set',
			typeVersion: 3.4,
			parameters: {
				mode: 'raw',
				includeOtherFields: true,
				jsonOutput: "={{ JSON.stringify($('Items').item.json) }}",
				options: { stripBinary: false },
			},
		},
	];
}

async function runWork(live: Live, work: Parameters<Host>[0]): ReturnType<Host> {
	const { parameters, credential: data, credentialType: type, onError } = work;
	const name = 'Row';
	const credential = { id: await createCredential(live.session, { name, type, data }), name };
	const credentials = { [type]: credential };
	const dossier: Step = { name: 'Dossier', type: DOSSIER, parameters, credentials, onError };
	const steps = [...(await stepsFor(live, work)), dossier];
	const stored = await importWorkflow(live.session, buildWorkflow(name, steps));
	const execution = await runStored(live, stored);
	const { error } = execution.data.resultData;
	return {
		outcome: { items: readItems(execution, 'Dossier'), errors: [], hints: [], error },
		read: async (output) => await readBinary(live, output?.binary?.data),
	};
}

/** The file that an item carries, wherever n8n keeps it. */
export async function readBinary(
	{ session }: Live,
	binary: IBinaryData | undefined,
): Promise<Buffer> {
	if (!binary?.id) return Buffer.from(binary?.data ?? '', 'base64');
	const { data } = await session.get<Buffer>('/binary-data', {
		params: { id: binary.id, action: 'download' },
		responseType: 'arraybuffer',
	});
	return Buffer.from(data);
}
