/** What comes to the address of a trigger, from the service and from others. */
import axios from 'axios';
import { createHmac } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import type { TriggerHost } from './triggerHost';
import { until, useTriggers } from './triggers';

const { service, trigger } = useTriggers();

const SECRET = 'the secret in the credential';
const withSecret = () => ({ ...service().credential, webhookSecret: SECRET });
const manual = { registration: 'manual' };

/** Sends a delivery as the service would, or as somebody else. */
async function deliver(host: TriggerHost, body: string, headers: Record<string, string> = {}) {
	const signature = createHmac('sha256', SECRET).update(body).digest('hex');
	return await axios.post(host.url, body, {
		headers: {
			'Content-Type': 'application/json',
			'X-Webhook-Signature': `sha256=${signature}`,
			...headers,
		},
		validateStatus: () => true,
		transformRequest: [(data: string) => data],
	});
}

const event = (changes: IDataObject = {}) =>
	JSON.stringify({
		event: 'document.uploaded',
		created_at: '2026-03-01T12:00:00Z',
		data: { document_id: 'doc_1', dossier_id: 'dos_1', uploaded_by: 'usr_1', category: 'tax' },
		...changes,
	});

describe('Deliveries', () => {
	it('that are forged, altered or unsigned get 401 without a word of why, and start nothing', async () => {
		const host = await trigger({ credential: withSecret(), parameters: manual });
		const forged = await deliver(host, event(), {
			'X-Webhook-Signature': `sha256=${'0'.repeat(64)}`,
		});
		expect([forged.status, forged.data]).toEqual([401, { error: 'unauthorized' }]);
		const good = event();
		const signature = createHmac('sha256', SECRET).update(good).digest('hex');
		const altered = await deliver(host, good.replace('tax', 'tex'), {
			'X-Webhook-Signature': signature,
		});
		expect(altered.status).toBe(401);
		expect((await axios.post(host.url, {}, { validateStatus: () => true })).status).toBe(401);
		expect(host.executions).toEqual([]);
		expect(host.thrown).toEqual([]);
	});

	it('are all refused while no secret is known, unless that is allowed', async () => {
		const closed = await trigger({ parameters: manual });
		expect((await deliver(closed, event())).status).toBe(401);
		const allowed = await trigger({
			parameters: { ...manual, options: { allowUnsigned: true } },
		});
		expect((await deliver(allowed, event())).status).toBe(200);
		expect(allowed.executions).toHaveLength(1);
		const known = await trigger({
			credential: withSecret(),
			parameters: { ...manual, options: { allowUnsigned: true } },
		});
		const unsigned = await deliver(known, event(), { 'X-Webhook-Signature': '' });
		expect(unsigned.status).toBe(401);
	});

	it('run once however often they come, at the same time too', async () => {
		const host = await trigger({ credential: withSecret(), parameters: manual });
		const same = { 'X-Webhook-Id': 'del_1' };
		const answers = await Promise.all(
			Array.from({ length: 20 }, () => deliver(host, event(), same)),
		);
		expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
		expect(host.executions).toHaveLength(1);
		// Captured and sent again under an id that was made up: its bytes give it away.
		expect((await deliver(host, event(), { 'X-Webhook-Id': 'del_2' })).status).toBe(200);
		expect(host.executions).toHaveLength(1);
		await deliver(host, event({ created_at: '2026-03-01T12:00:01Z' }), { 'X-Webhook-Id': 'del_3' });
		expect(host.executions).toHaveLength(2);
	});

	it('run once after a restart, too', async () => {
		const host = await trigger({ credential: withSecret(), parameters: manual });
		await deliver(host, event(), { 'X-Webhook-Id': 'del_restart' });
		const restarted = await trigger({
			credential: withSecret(),
			parameters: manual,
			staticData: host.staticData,
		});
		await deliver(restarted, event(), { 'X-Webhook-Id': 'del_restart' });
		expect(restarted.executions).toEqual([]);
	});

	it('run when they come again, where n8n could not begin a run before', async () => {
		let able = false;
		const host = await trigger({
			credential: withSecret(),
			parameters: manual,
			canBegin: () => able,
		});
		const same = { 'X-Webhook-Id': 'del_1' };
		expect((await deliver(host, event(), same)).status).toBe(500);
		able = true;
		expect((await deliver(host, event(), same)).status).toBe(200);
		expect((await deliver(host, event(), same)).data).toEqual({ ok: true, note: 'duplicate' });
		expect(host.executions).toHaveLength(1);
	});

	it('are verified by the secret before, while it is being replaced', async () => {
		const host = await trigger({
			credential: {
				...service().credential,
				webhookSecret: 'the new one',
				previousWebhookSecret: SECRET,
			},
			parameters: manual,
		});
		expect((await deliver(host, event())).status).toBe(200);
	});

	it('are verified by a new secret as soon as it is in the credential, and by an old one for seconds at most', async () => {
		const credential = { ...service().credential, webhookSecret: 'the one before' };
		const host = await trigger({ credential, parameters: manual });
		expect((await deliver(host, event())).status).toBe(401);
		credential.webhookSecret = SECRET;
		expect((await deliver(host, event())).status).toBe(200);
		credential.webhookSecret = 'the next one';
		const later = Date.now() + 10_000;
		const clock = jest.spyOn(Date, 'now').mockReturnValue(later);
		const { status } = await deliver(host, event({ created_at: '2026-03-01T12:00:01Z' }));
		clock.mockRestore();
		expect(status).toBe(401);
	});

	it('over the size limit are refused', async () => {
		const host = await trigger({
			credential: withSecret(),
			parameters: { ...manual, options: { largestBody: 1 } },
		});
		expect((await deliver(host, event({ data: { x: 'x'.repeat(2000) } }))).status).toBe(413);
	});

	it('that are signed but no event get 400', async () => {
		const host = await trigger({ credential: withSecret(), parameters: manual });
		expect((await deliver(host, '[1, 2]')).status).toBe(400);
		expect((await deliver(host, 'not JSON')).status).toBe(400);
		expect(host.executions).toEqual([]);
	});

	it('of test events run the workflow only where that is chosen', async () => {
		const host = await trigger({ credential: withSecret(), parameters: manual });
		expect((await deliver(host, event({ event: 'ping' }))).status).toBe(200);
		expect(host.executions).toEqual([]);
		const eager = await trigger({
			credential: withSecret(),
			parameters: { ...manual, options: { runOnTest: true } },
		});
		await deliver(eager, event({ event: 'ping' }));
		expect(eager.executions).toHaveLength(1);
	});

	it('of events that were typed by hand run it, others do not', async () => {
		const host = await trigger({
			credential: withSecret(),
			parameters: { ...manual, options: { otherEvents: 'dossier.closed, dossier.reopened' } },
		});
		await deliver(host, event({ event: 'dossier.closed' }));
		await deliver(host, event({ event: 'dossier.unknown' }));
		expect(host.executions).toHaveLength(1);
	});

	it('are answered as the options say, and give out their headers where that is chosen', async () => {
		const host = await trigger({
			credential: withSecret(),
			parameters: { ...manual, options: { responseBody: 'received', includeHeaders: true } },
		});
		const { data } = await deliver(host, event(), { 'X-Webhook-Id': 'del_9' });
		expect(data).toBe('received');
		expect(host.executions[0]?.[0]?.json.headers).toMatchObject({ 'x-webhook-id': 'del_9' });
	});

	it('of a document that cannot be downloaded run the workflow all the same, with the reason', async () => {
		const host = await trigger({
			credential: withSecret(),
			parameters: { ...manual, download: true, binaryPropertyName: 'data' },
		});
		await deliver(host, event());
		await until(host, 1);
		expect(host.executions[0]?.[0]?.json.download_error).toMatchObject({
			code: 'DOCUMENT_NOT_FOUND',
			status: 404,
		});
	});

	it('are answered before the file is there where that takes long', async () => {
		const host = await trigger({
			credential: withSecret(),
			parameters: { ...manual, download: true, binaryPropertyName: 'data' },
		});
		await service().control('post', '/faults', {
			operation: 'documents.download',
			delay_ms: 7_000,
			times: 1,
		});
		const { data } = await deliver(host, event());
		expect([data, host.executions.length]).toEqual([{ ok: true }, 0]);
		await until(host, 1);
	}, 20_000);
});
