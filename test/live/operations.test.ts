/** Every operation of the node and the trigger, each in a workflow of its own, in both lines of n8n. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IDataObject, INodeParameters, INodeTypeDescription } from 'n8n-workflow';
import { importWorkflow } from '../../scripts/host/rest.ts';
import { complaints } from '../../scripts/intake/workflow.ts';
import { HOSTS, OPENING_MS, openLive, root } from './live.ts';
import type { Live } from './live.ts';
import { findCredentialType, differences, FILE, listOperations } from './operations.ts';
import type { Place, Preview } from './operations.ts';
import { openHeld } from './operationsHeld.ts';
import type { Held } from './operationsHeld.ts';
import { onPeople } from './operationsOnPeople.ts';
import { onRecords } from './operationsOnRecords.ts';
import { observeTriggers } from './triggers.ts';
import { readFiles } from './uploads.ts';
import { buildWorkflow } from '../../scripts/host/workflows.ts';
import { byId, DOSSIER, dossierStep, readItems, runOnce, readOutcomes } from './workflows.ts';
import type { Step } from '../../scripts/host/workflows.ts';

const places = { ...onRecords, ...onPeople };

const start: Step = { name: 'Start', type: 'n8n-nodes-base.manualTrigger', parameters: {} };

const readPreview = async (operation: string): Promise<Preview> =>
	JSON.parse(
		await readFile(join(root, `nodes/Dossier/__schema__/v1.0.0/${operation}.json`), 'utf8'),
	);

describe.each(HOSTS)('In %s', (host) => {
	let live: Live;
	let held: Held;
	let description: INodeTypeDescription;
	beforeAll(async () => {
		live = await openLive(host);
		held = openHeld(live);
		const { data } = await live.session.get<INodeTypeDescription[]>('/types/nodes.json', {
			baseURL: live.host.url,
		});
		const found = data.find(({ name }) => name === DOSSIER);
		if (!found) throw new Error('n8n does not know the node.');
		description = found;
		await writeFile(join(live.folder, FILE.name), FILE.content);
	}, OPENING_MS);
	afterAll(() => live?.close());

	it('has a test for every operation of the form', () => {
		expect(Object.keys(places).sort()).toEqual(listOperations(description).sort());
	});

	async function credentialsFor(resource: string, { as }: Place): Promise<Step['credentials']> {
		const type = findCredentialType(description, resource);
		if (!type) return undefined;
		return { [type]: as ? await live.workspaceCredential(as) : await live.credential() };
	}

	it.each(Object.entries(places))(
		'%s gives out and changes what its form promises',
		async (name, prepare) => {
			const [resource = '', operation = ''] = name.split('/');
			const place = await prepare(held);
			const step: Step = {
				name: 'Dossier',
				type: DOSSIER,
				parameters: { resource, operation, ...place.parameters },
				credentials: await credentialsFor(resource, place),
			};
			const steps = [start, readFiles(join(live.folder, FILE.name)), step];
			const execution = await runOnce(live, buildWorkflow(name, steps));
			expect([execution.status, complaints(execution.data)]).toEqual(['success', []]);
			const items = readItems(execution, 'Dossier');
			const [item] = items;
			expect(items).toHaveLength(1 + (place.others ?? 0));
			expect(item?.json).toMatchObject(place.gives);
			const fields = Object.assign({}, ...items.map(({ json }) => json)) as IDataObject;
			expect(differences(fields, await readPreview(name))).toEqual([]);
			if (item) await place.leaves?.(item);
		},
	);

	/** Runs one operation on dossiers while the service breaks connections; gives what is readOutcomes of it. */
	async function broken(fault: IDataObject, parameters: INodeParameters): Promise<string[]> {
		await live.control.post('/faults', fault);
		const own = { resource: 'dossier', ...parameters };
		const steps = [start, dossierStep('Dossier', await live.credential(), own)];
		return readOutcomes(await runOnce(live, buildWorkflow('Broken', steps)), 'Dossier');
	}

	it.each([
		['before', 0],
		['while', 1],
	])('does not repeat a creation whose connection breaks %s it is done', async (when, made) => {
		const title = `Broken ${when}`;
		const fault = { operation: 'dossiers.create', connection: when, times: 1 };
		expect(await broken(fault, { operation: 'create', title, fields: {} })).toEqual([
			expect.stringMatching(/^The connection to \S+ was broken off\. The service may have done/),
		]);
		const { data } = await live.service.get('/dossiers', { params: { q: title } });
		expect(data.data).toHaveLength(made);
	});

	it('retries a read if its connection breaks', async () => {
		const fault = { operation: 'dossiers.get', connection: 'while', times: 1 };
		const dossierId = byId(await held.dossier());
		expect(await broken(fault, { operation: 'get', dossierId, output: 'simplified' })).toEqual([
			'done',
		]);
	});

	it('starts a workflow by an event, refuses a forged one, and ends with the workflow', async () => {
		const triggers = observeTriggers(live);
		const trigger: Step = {
			name: 'Trigger',
			type: `${DOSSIER}Trigger`,
			parameters: { registration: 'automatic', events: ['dossier.created'], options: {} },
			credentials: { dossierApi: await live.credential() },
			webhookId: '0d3c5f0a-31f2-4f3e-9a52-5d0a3c7e9b11',
		};
		const workflow = await importWorkflow(live.session, buildWorkflow('Trigger', [trigger]));
		const { url } = await triggers.activate(workflow);
		const forged = await live.session.post<unknown>(url, { event: 'dossier.created' });
		expect([forged.status, forged.data]).toEqual([401, { error: 'unauthorized' }]);
		const id = await held.dossier({ reference: 'E-1' });
		await triggers.idle();
		const [execution] = await triggers.finished(workflow, 1);
		expect(execution && readItems(execution, 'Trigger')[0]?.json).toMatchObject({
			event: 'dossier.created',
			data: { dossier_id: id },
		});
		expect(await triggers.listRuns(workflow)).toMatchObject({ count: 1 });
		await triggers.deactivate(workflow);
		await triggers.noRegistration();
	});
});
