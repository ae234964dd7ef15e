/** Requests that are sent again, although the first attempt may have taken effect. */
import { shortenPauses } from './fakeService';
import { runDossier } from './n8n';
import { speaking } from './requests';
import { useService } from './service';

const service = useService();

shortenPauses();

it('A creation takes effect once if the service recognises repeated requests, even if n8n runs the node again', async () => {
	const { faults } = service.sandbox;
	await faults.add({ operation: 'dossiers.create', connection: 'while', times: 8 });
	const titles = ['Retried 1', 'Retried 2'];
	const { error, items } = await runDossier({
		parameters: { resource: 'dossier', operation: 'create', title: '={{ $json.title }}' },
		credential: { ...service.credential, ...speaking({ idempotency: { supported: true } }) },
		items: titles.map((title) => ({ json: { title } })),
		retryOnFail: true,
	});
	expect(error).toBeUndefined();
	expect(items.map(({ json }) => json.title)).toEqual(titles);
	expect(await faults.list()).toMatchObject([{ hits: 8 }]);
	const stored = (await service.list('/dossiers')).map(({ title }) => title);
	expect(stored.sort()).toEqual(titles);
});
