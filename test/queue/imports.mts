/** An import that is split over executions: each call of its webhook brings a dossier, and the documents for it. */
import { createHash } from 'node:crypto';
import axios from 'axios';
import type { INodeParameters } from 'n8n-workflow';
import { activateWorkflow, awaitExecution, importWorkflow } from '../../scripts/host/rest.mts';
import type { StoredWorkflow } from '../../scripts/host/rest.mts';
import { until } from '../../scripts/process/until.mts';
import { observeTriggers } from '../live/triggers.mts';
import {
	buildWorkflow,
	byId,
	dossierStep,
	splitOut,
	webhookStep,
} from '../../scripts/host/steps.mts';
import { readItems } from '../../scripts/host/executions.mts';
import type { Cluster } from './cluster.mts';

const PATH = 'import-documents';

export interface Batch {
	dossier: string;
	documents: Array<{ name: string; text: string }>;
}

/** The name and the SHA-256 of each document, in the order of the names. */
type Documents = Array<[name: string, sha256: string]>;

const sorted = (documents: Documents) => documents.sort(([a], [b]) => (a < b ? -1 : 1));

/** The files that the dossier must have in the end. */
export const wanted = ({ documents }: Batch): Documents =>
	sorted(
		documents.map(({ name, text }) => [name, createHash('sha256').update(text).digest('hex')]),
	);

export function openImports(cluster: Cluster) {
	const { session, service, webhookProcess, signal } = cluster;
	const { listRuns } = observeTriggers(cluster);

	return {
		/** Stores the workflow and activates it. */
		publish: async (options: INodeParameters): Promise<StoredWorkflow> => {
			const upload = {
				resource: 'document',
				operation: 'upload',
				dossierId: byId("={{ $('Import').first().json.body.dossier }}"),
				filesFrom: 'named',
				binaryPropertyName: 'data',
				category: 'correspondence',
				ifExists: 'skip',
				options,
			};
			const workflow = buildWorkflow('Import', [
				webhookStep('Import', PATH, 'onReceived'),
				splitOut('Documents', 'body.documents'),
				{
					name: 'Files',
					type: 'n8n-nodes-base.convertToFile',
					typeVersion: 1.1,
					parameters: {
						operation: 'toText',
						sourceProperty: 'text',
						options: { fileName: '={{ $json.name }}' },
					},
				},
				dossierStep('Upload', await cluster.credential(), upload),
			]);
			const stored = await importWorkflow(session, workflow);
			await activateWorkflow(session, stored);
			return stored;
		},

		/** Makes dossiers, and as many documents for each. */
		prepare: async (dossiers: number, documentsEach: number): Promise<Batch[]> => {
			const batches: Batch[] = [];
			for (let at = 1; at <= dossiers; at += 1) {
				const body = { title: `Import ${at}` };
				const { data } = await service.post<{ id: string }>('/dossiers', body);
				const documents = Array.from({ length: documentsEach }, (_, n) => {
					const name = `Schreiben ${String(n + 1).padStart(4, '0')} für ${at}.txt`;
					return { name, text: `${name}\n${'Sehr geehrte Damen und Herren, '.repeat(40)}` };
				});
				batches.push({ dossier: data.id, documents });
			}
			return batches;
		},

		/** Starts an execution, as soon as n8n has made the address known that it published. */
		start: async (batch: Batch): Promise<void> => {
			const url = `${webhookProcess.url}/webhook/${PATH}`;
			const options = { proxy: false as const, validateStatus: () => true };
			await until('webhook', async () => (await axios.post(url, batch, options)).status === 200);
		},

		/** The dossiers whose execution did all that it had to. */
		finishedDossiers: async (workflow: StoredWorkflow): Promise<unknown[]> => {
			const { results } = await listRuns(workflow, ['success']);
			const dossiers = [];
			for (const { id } of results) {
				const execution = await awaitExecution(session, id, signal);
				const body = readItems(execution, 'Import')[0]?.json.body;
				dossiers.push(typeof body === 'object' && body && 'dossier' in body && body.dossier);
			}
			return dossiers;
		},

		/** Why each of some executions failed, and at which node. */
		reasons: async (ids: string[]): Promise<string[]> => {
			const told = [];
			for (const id of ids) {
				const { status, data } = await awaitExecution(session, id, signal);
				const { lastNodeExecuted, error } = data.resultData;
				const why = [error?.message, error?.description].filter(Boolean).join(' ');
				told.push(`${id} ${status} at ${lastNodeExecuted ?? 'no node'}: ${why}`);
			}
			return told;
		},

		/** The documents of a dossier, as the service has them. */
		documentsIn: async (dossier: string): Promise<Documents> => {
			interface Page {
				data: Array<{ file_name: string; checksum_sha256: string }>;
				pagination: { has_more: boolean };
			}
			const found: Documents = [];
			for (let page = 1, more = true; more; page += 1) {
				const params = { page, per_page: 100 };
				const { data } = await service.get<Page>(`/dossiers/${dossier}/documents`, { params });
				for (const one of data.data) found.push([one.file_name, one.checksum_sha256]);
				more = data.pagination.has_more;
			}
			return sorted(found);
		},
	};
}
