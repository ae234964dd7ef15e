/** Requests that are sent again, although the first attempt may have taken effect. */
import type { IDataObject } from 'n8n-workflow';
import { shortenPauses } from './fakeService';
import { runDossier } from './n8n';
import { speaking } from './requests';
import { useService } from './service';

const service = useService();

shortenPauses();

const addFault = async (operation: string, plan: IDataObject) =>
	await service.control('post', '/faults', { operation, ...plan });

/** How often each fault has struck. */
const countHits = async (): Promise<number[]> => {
	const { data } = await service.control<{ data: Array<{ hits: number }> }>('get', '/faults');
	return data.map(({ hits }) => hits);
};

afterEach(async () => await service.control('delete', '/faults'));

it('A creation takes effect once if the service recognises repeated requests, even if n8n runs the node again', async () => {
	await addFault('dossiers.create', { connection: 'while', times: 8 });
	const titles = ['Retried 1', 'Retried 2'];
	const { error, items } = await runDossier({
		parameters: { resource: 'dossier', operation: 'create', title: '={{ $json.title }}' },
		credential: { ...service.credential, ...speaking({ idempotency: { supported: true } }) },
		items: titles.map((title) => ({ json: { title } })),
		retryOnFail: true,
	});
	expect(error).toBeUndefined();
	expect(items.map(({ json }) => json.title)).toEqual(titles);
	expect(await countHits()).toEqual([8]);
	const stored = (await service.list('/dossiers')).map(({ title }) => title);
	expect(stored.sort()).toEqual(titles);
});
