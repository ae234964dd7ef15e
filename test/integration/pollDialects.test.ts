/** The poll trigger, for services that call everything otherwise. */
import type { INodeParameters } from 'n8n-workflow';
import { toText } from '../../nodes/Dossier/api/json';
import { MANNERS } from './dialects/manners';
import { useBinaryMode } from './n8n';
import { openPolling } from './pollHost';
import { runOn, uploadTo } from './requests';
import { startService } from './service';
import type { Service } from './service';

beforeAll(async () => await useBinaryMode('default'));

const auditEntry = {
	fields: { action: 'verb', created_at: 'occurredAt', 'target.id': 'subject' },
	filters: { from: 'since' },
};

/** The place up to which the trigger has read is a time, too. */
const times = {
	'times in seconds': { dialect: { times: 'epochSeconds' } },
	'times in milliseconds': { dialect: { times: 'epochMilliseconds' } },
} as const;
const services = Object.entries({ ...MANNERS, ...times });

describe.each(services)('For a service that speaks %s', (_name, manners) => {
	const dialect = { ...manners.dialect, auditEntry };
	let service: Service;
	let credential: Service['credential'];

	beforeAll(async () => {
		service = await startService({ dialect });
		const own = { contractOverrides: true, dialect: JSON.stringify(dialect) };
		credential = { ...service.credential, ...own };
	});
	afterAll(async () => {
		await service.stop();
	});

	async function run(parameters: INodeParameters): Promise<string> {
		const files = { data: { fileName: 'a.pdf', content: Buffer.from('%PDF') } };
		const items = [{ json: {}, files }];
		const { items: given, error } = await runOn(service, parameters, { credential, items });
		if (error) throw error;
		return toText(given[0]?.json.id) ?? '';
	}
	const create = async (title: string) =>
		await run({ resource: 'dossier', operation: 'create', title, fields: {} });

	it('gives each event once, under the names of this package', async () => {
		await create('Before');
		const host = openPolling({ credential, parameters: { events: ['*'] } });
		expect(await host.poll()).toEqual([]);
		const dossier = await create('Polled');
		const document = await run(uploadTo(dossier, { category: 'invoice' }));
		const items = await host.poll();
		expect(items.map(({ json }) => json)).toMatchObject([
			{ event: 'dossier.created', data: { dossier_id: dossier, title: 'Polled' } },
			{
				event: 'document.uploaded',
				created_at: expect.stringMatching(/^\d{4}-.*Z$/),
				data: { document_id: document, dossier_id: dossier, category: 'invoice' },
			},
		]);
		await host.restart();
		expect(await host.poll()).toEqual([]);
		const last = await create('Last');
		expect(await host.poll()).toMatchObject([{ json: { data: { dossier_id: last } } }]);
	});
});
