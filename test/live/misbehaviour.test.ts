/** The worst misbehaviours of a service, met by the node in both lines of n8n with their own HTTP helpers. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { createCredential } from '../../scripts/host/rest.ts';
import { buildWorkflow } from '../../scripts/host/workflows.ts';
import type { Step } from '../../scripts/host/workflows.ts';
import { rows, runRow } from '../integration/misbehaviour/rows.ts';
import type { Host } from '../integration/misbehaviour/rows.ts';
import { HOSTS, OPENING_MS, openLive } from './live.ts';
import type { Live } from './live.ts';
import { openHeld } from './operationsHeld.ts';
import { DOSSIER, readItems, runOnce, startWith } from './workflows.ts';

/**
 * How many rows run at once: they wait for the service, but some hold files of 16 MB in memory. n8n 1 has one connection to
 * its database, on which transactions of requests at the same moment get mixed up ("no such savepoint").
 */
const AT_ONCE = { 'n8n-1': 1, 'n8n-2': 3 };

const WORST = [
	'dossier/get: dossiers.get is silent before the headers, once, going on',
	'dossier/get: dossiers.get closes a kept connection when it is used again, stopping',
	'task/create: tasks.create closes a kept connection when it is used again, stopping',
	'task/create: tasks.create cuts the answer after 7 bytes, once, going on',
	'document/upload: documents.upload answers 413 before it has read the file, and reads on, going on',
	'document/upload as a form: documents.upload answers 413 before it has read the file, and closes, going on',
	'document/upload: documents.upload stops reading the file, going on',
	'document/upload as a form: documents.upload reads the file for longer than the timeout, going on',
	'document/upload: documents.upload reads the file for longer than the timeout, going on',
	'document/upload from an address: files.get compresses with gzip, going on',
	'document/download: documents.download compresses with gzip, going on',
	'document/download: documents.download is silent in the middle of the body, once, going on',
	'document/download: documents.download drips for longer than the timeout, going on',
	'document/download: documents.download cuts the file in the middle, once, and goes on from there, going on',
	'portalUser/inviteQr: portal.inviteQr cuts the answer after 7 bytes, once, going on',
];

describe.each(HOSTS)('In %s', (hostName) => {
	let live: Live;
	const found = new Map<string, string[]>();
	beforeAll(async () => {
		live = await openLive(hostName);
		const left = [...WORST];
		const work = async () => {
			for (let name = left.shift(); name; name = left.shift()) {
				const row = rows.find((one) => one.name === name);
				found.set(name, row ? await runRow(row, host) : ['There is no such row.']);
			}
		};
		await Promise.all(Array.from({ length: AT_ONCE[hostName] }, work));
	}, 2 * OPENING_MS);
	afterAll(() => live?.close());

	/** The items of a row: their files are written where n8n may read them, and join the records again. */
	async function stepsFor({ items }: Parameters<Host>[0]): Promise<Step[]> {
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
		const fileSelector = '={{ $json.path }}';
		return [
			...steps,
			{
				name: 'Read',
				type: 'n8n-nodes-base.readWriteFile',
				typeVersion: 1.1,
				parameters: { operation: 'read', fileSelector, options: {} },
			},
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

	const host: Host = async (work) => {
		const { parameters, credential: data, credentialType: type, onError } = work;
		const name = 'Misbehaving';
		const credential = { id: await createCredential(live.session, { name, type, data }), name };
		const credentials = { [type]: credential };
		const dossier: Step = { name: 'Dossier', type: DOSSIER, parameters, credentials, onError };
		const steps = [...(await stepsFor(work)), dossier];
		const execution = await runOnce(live, buildWorkflow('Misbehaviour', steps));
		const { error } = execution.data.resultData;
		return {
			outcome: { items: readItems(execution, 'Dossier'), errors: [], hints: [], error },
			read: async (output) => await openHeld(live).readBinary(output?.binary?.data),
		};
	};

	it.each(WORST)('%s', (name) => {
		expect(found.get(name)).toEqual([]);
	});
});
