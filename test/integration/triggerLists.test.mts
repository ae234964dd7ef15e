/** Registration with services whose list of webhooks is empty, never ends, or has the address a hundred times. */
import type { IDataObject } from 'n8n-workflow';
import { useTriggers } from './triggers.mts';
import { useWebhookServices } from './webhookService.mts';

const { openAt, log } = useTriggers();
const serveWebhooks = useWebhookServices();

const FOREIGN = { id: 'wh_1', url: 'https://other.example/hook', events: ['*'], secret: 'theirs' };

describe('A registration', () => {
	it.each<[string, (page: number) => IDataObject]>([
		['is empty', () => ({})],
		[
			'never ends',
			(page) => ({ data: [{ ...FOREIGN, id: `f${page}` }], next_cursor: `${page + 1}` }),
		],
	])('is kept, and removed, at a service whose list of webhooks %s', async (_, list) => {
		const there = await serveWebhooks(({ method, id, request, webhooks }) => {
			if (method !== 'GET') return undefined;
			if (id) return { body: webhooks.find((webhook) => webhook.id === id) ?? {} };
			const { searchParams } = new URL(request.url ?? '', 'http://service.example');
			return { body: list(Number(searchParams.get('cursor') ?? 0)) };
		});
		const host = await openAt(there);
		for (let start = 0; start < 3; start++) await host.activate();
		expect(there.webhooks).toEqual([expect.objectContaining({ id: 'wh_1', url: host.url })]);
		await host.deactivate();
		expect(there.webhooks).toEqual([]);
		expect(there.calls.length).toBeLessThan(100);
	});

	it('takes few requests if its address is registered a hundred times, and says what it leaves', async () => {
		const there = await serveWebhooks();
		const host = await openAt(there);
		for (let n = 1; n <= 100; n++)
			there.webhooks.push({ ...FOREIGN, id: `old_${n}`, url: host.url });
		await host.activate();
		expect(there.calls.length).toBeLessThan(60);
		expect(log.splice(0)).toEqual([expect.stringContaining('leaves 50 other webhooks')]);
		await host.activate();
		expect(there.webhooks).toEqual([
			expect.objectContaining({ url: host.url, events: ['document.uploaded'] }),
		]);
		await host.deactivate();
		expect([there.webhooks, log]).toEqual([[], []]);
	});
});
