/** What the sandbox says happened, as a workflow gets it. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { readBinary, runDossier } from './n8n';
import { byId, PROFILES, startService } from './service';
import type { Service } from './service';
import type { TriggerHost } from './triggerHost';
import { until, useTriggers } from './triggers';

const { trigger } = useTriggers();

describe.each(PROFILES)('Events of the service under the profile %s', (profile) => {
	let own: Service;

	beforeAll(async () => {
		own = await startService({ profile });
	});

	afterAll(async () => {
		await own.stop();
	});

	/** A trigger that the service calls: registered by itself where the service lets it, by a person elsewhere. */
	async function called(parameters: INodeParameters = {}): Promise<TriggerHost> {
		if (profile === 'default') {
			const host = await trigger({ credential: own.credential, parameters });
			await host.activate();
			return host;
		}
		const credential = {
			...own.credential,
			contractOverrides: true,
			signatureScheme: profile === 'alternate' ? 'standard' : 'headers',
			webhookSecret: '',
		};
		const host = await trigger({
			credential,
			parameters: { registration: 'manual', ...parameters },
		});
		const { secret } = await own.control<{ secret: string }>('post', '/webhooks', {
			organization_id: own.organization.id,
			environment: 'test',
			url: host.url,
			events: ['document.uploaded'],
		});
		credential.webhookSecret = secret;
		return host;
	}

	const newDossier = async () => (await own.create('/dossiers', { title: 'Events' })).id as string;

	/** Uploads through the node, which knows the format that this profile takes. */
	async function uploadTo(dossier: string, category = 'invoice'): Promise<IDataObject> {
		const { items, error } = await runDossier({
			credential: own.credential,
			parameters: {
				resource: 'document',
				operation: 'upload',
				dossierId: byId(dossier),
				filesFrom: 'named',
				binaryPropertyName: 'data',
				category,
				ifExists: 'upload',
			},
			items: [
				{
					json: {},
					files: { data: { fileName: 'Rechnung 請求書.txt', content: Buffer.from('content') } },
				},
			],
		});
		if (error) throw error;
		return items[0]?.json ?? {};
	}

	it('run the workflow once, with what the service says and which delivery it was', async () => {
		const host = await called();
		const document = await uploadTo(await newDossier());
		await until(host, 1);
		expect(host.executions[0]?.[0]?.json).toEqual({
			event: 'document.uploaded',
			created_at: expect.any(String),
			data: {
				document_id: document.id,
				dossier_id: document.dossier_id,
				uploaded_by: document.uploaded_by,
				category: 'invoice',
			},
			delivery: {
				id: profile === 'given-only' ? null : expect.any(String),
				received_at: expect.any(String),
				attempt: null,
			},
		});
	});

	it('bring the file with them where that is chosen', async () => {
		const host = await called({ download: true, binaryPropertyName: 'file' });
		await uploadTo(await newDossier());
		await until(host, 1);
		const binary = host.executions[0]?.[0]?.binary?.file;
		expect(binary?.fileName).toBe('Rechnung 請求書.txt');
		expect((await readBinary(binary)).toString()).toBe('content');
	});

	it('are held back by filters on dossiers and categories', async () => {
		const dossier = await newDossier();
		const host = await called({ filters: { dossiers: [dossier], categories: 'tax' } });
		await uploadTo(dossier, 'invoice');
		await uploadTo(await newDossier(), 'tax');
		await uploadTo(dossier, 'tax');
		await until(host, 1);
		expect(host.executions[0]?.[0]?.json).toMatchObject({
			data: { dossier_id: dossier, category: 'tax' },
		});
	});
});
