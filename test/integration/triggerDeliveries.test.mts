/** Requests to the address of a trigger, from the service and from others. */
import axios from 'axios';
import { deliver, event, manual, SECRET, sign } from './triggerSender.mts';
import { awaitExecutions, useTriggers } from './triggers.mts';

const { service, trigger, openManual, log } = useTriggers();

describe('Deliveries', () => {
	it('that are forged, altered or unsigned get 401 without a reason, and start nothing', async () => {
		const host = await openManual();
		const forged = await deliver(host, event(), {
			'X-Webhook-Signature': `sha256=${'0'.repeat(64)}`,
		});
		expect([forged.status, forged.data]).toEqual([401, { error: 'unauthorized' }]);
		const good = event();
		const altered = await deliver(host, good.replace('tax', 'tex'), {
			'X-Webhook-Signature': sign(good),
		});
		expect(altered.status).toBe(401);
		expect((await axios.post(host.url, {}, { validateStatus: () => true })).status).toBe(401);
		expect(host.executions).toEqual([]);
		expect(host.thrown).toEqual([]);
	});

	it('are all refused while no secret is known, unless that is allowed', async () => {
		const closed = await trigger({ parameters: manual, workflowId: 'closed' });
		expect((await deliver(closed, event())).status).toBe(401);
		const allowed = await trigger({
			parameters: { ...manual, options: { allowUnsigned: true } },
		});
		expect((await deliver(allowed, event())).status).toBe(200);
		await awaitExecutions(allowed, 1);
		const known = await openManual({ options: { allowUnsigned: true } }, { workflowId: 'known' });
		const unsigned = await deliver(known, event(), { 'X-Webhook-Signature': '' });
		expect(unsigned.status).toBe(401);
	});

	it('that ask to repeat a challenge have to be signed as well, if a secret is known', async () => {
		const body = JSON.stringify({ type: 'verify', challenge: 'repeat me' });
		const unsigned = { 'X-Webhook-Signature': '' };
		const known = await openManual({ options: { allowUnsigned: true } });
		const answers = [
			await deliver(known, body, unsigned),
			await deliver(known, '{}', { ...unsigned, 'X-Hook-Challenge': 'repeat me' }),
			await deliver({ ...known, url: `${known.url}?validationToken=repeat` }, '{}', unsigned),
		];
		expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
		expect(answers.map(({ headers }) => headers['x-hook-challenge'])).not.toContain('repeat me');
		expect((await deliver(known, body)).data).toEqual({ challenge: 'repeat me' });
		const unknown = await trigger({
			parameters: { ...manual, options: { allowUnsigned: true } },
			workflowId: 'unknown',
		});
		expect((await deliver(unknown, body, unsigned)).data).toEqual({ challenge: 'repeat me' });
		expect([known.begins, unknown.begins]).toEqual([0, 0]);
	});

	it('are verified by the previous secret while it is being replaced', async () => {
		const host = await trigger({
			credential: {
				...service.credential,
				webhookSecret: 'the new one',
				previousWebhookSecret: SECRET,
			},
			parameters: manual,
		});
		expect((await deliver(host, event())).status).toBe(200);
	});

	it('are verified by a new secret ten seconds after it is in the credential, and no longer by the old one', async () => {
		const credential = { ...service.credential, webhookSecret: 'the one before' };
		const host = await trigger({ credential, parameters: manual });
		expect((await deliver(host, event())).status).toBe(401);
		credential.webhookSecret = SECRET;
		const start = Date.now();
		const clock = jest.spyOn(Date, 'now').mockReturnValue(start + 10_000);
		expect((await deliver(host, event())).status).toBe(200);
		credential.webhookSecret = 'the next one';
		clock.mockReturnValue(start + 20_000);
		const { status } = await deliver(host, event({ version: 2 }));
		clock.mockRestore();
		expect(status).toBe(401);
	});

	it('are verified by a new secret at once if the clock of this machine was set back', async () => {
		const credential = { ...service.credential, webhookSecret: 'the one before' };
		const host = await trigger({ credential, parameters: manual });
		expect((await deliver(host, event())).status).toBe(401);
		credential.webhookSecret = SECRET;
		const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
		const { status } = await deliver(host, event());
		clock.mockRestore();
		expect(status).toBe(200);
	});

	it('that are forged make n8n decrypt the credential at most once in ten seconds', async () => {
		let times = 0;
		const host = await openManual({}, { onCredential: () => times++ });
		const forged = { 'X-Webhook-Signature': `sha256=${'0'.repeat(64)}` };
		const start = Date.now();
		const clock = jest.spyOn(Date, 'now').mockReturnValue(start);
		await Promise.all(Array.from({ length: 20 }, () => deliver(host, event(), forged)));
		expect(times).toBe(1);
		clock.mockReturnValue(start + 10_000);
		await Promise.all(Array.from({ length: 20 }, () => deliver(host, event(), forged)));
		clock.mockRestore();
		expect(times).toBe(2);
	});

	it('that are refused leave a line in the log with the workflow, the node and what was seen', async () => {
		const host = await openManual(
			{},
			{ workflowId: 'w7', node: { name: 'Post from the service' } },
		);
		const tries: Array<Record<string, string>> = [
			{ 'X-Webhook-Signature': `sha256=${'0'.repeat(64)}` },
			{ 'X-Webhook-Signature': 't=1, v1=?' },
			{ 'X-Webhook-Signature': '', 'X-Hub-Signature-256': `sha256=${sign(event())}` },
		];
		for (const headers of tries) await deliver(host, event(), headers);
		const named = 'Dossier Trigger "Post from the service" of the workflow "Incoming" (w7)';
		const reasons = [
			'its signature is not that of any known secret: it is forged, or signed in another way or with another secret',
			'its header x-webhook-signature is not written as the chosen scheme says',
			'it has no header x-webhook-signature, but x-hub-signature-256',
		];
		expect(log).toEqual(reasons.map((reason) => `${named} refused a delivery: ${reason}`));
		expect(host.answers).toEqual([401, 401, 401]);
	});

	it('that are signed but nested too deep get 422, and n8n stores nothing of them', async () => {
		const host = await openManual();
		const deep = `{"event": "document.uploaded", "data": ${'['.repeat(2e5)}${']'.repeat(2e5)}}`;
		expect((await deliver(host, deep)).status).toBe(422);
		expect([host.begins, host.thrown]).toEqual([0, []]);
		expect(log).toEqual([expect.stringContaining('nested more than 100 levels deep')]);
	});

	it('are events by their signed bytes, whatever type is beside them; a form is none', async () => {
		const host = await openManual();
		const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
		expect((await deliver(host, event(), form)).status).toBe(200);
		const fields = `payload=${encodeURIComponent(event())}`;
		expect((await deliver(host, fields, form)).status).toBe(400);
		expect(log).toEqual([
			expect.stringMatching(
				/not an event: it is not a JSON object but application\/x-www-form-url/,
			),
		]);
		expect(host.begins).toBe(1);
	});

	it('over the size limit are refused', async () => {
		const host = await openManual({ options: { largestBody: 1 } });
		expect((await deliver(host, event({ data: { x: 'x'.repeat(2000) } }))).status).toBe(413);
	});

	it.each<[string, string, string]>([
		['a list', '[1, 2]', 'it is a list, and one event for each delivery is expected'],
		['nothing', '', 'it is not a JSON object but application/octet-stream'],
		['a form', 'payload=%7B%7D', 'it is not a JSON object but application/octet-stream'],
		['another envelope', '{"type": "x", "data": {}}', "it has no text 'event', but type, data"],
		['no fields', '{}', "it has no text 'event', but nothing"],
	])('that are signed but are %s leave a line in the log that says so', async (_, body, why) => {
		const host = await openManual();
		const type = { 'Content-Type': 'application/octet-stream' };
		expect((await deliver(host, body, type)).status).toBe(400);
		expect(log).toEqual([expect.stringContaining(`its body is not an event: ${why}`)]);
	});

	it('of test events run the workflow only if that is chosen', async () => {
		const host = await openManual();
		expect((await deliver(host, event({ event: 'ping' }))).status).toBe(200);
		expect(host.executions).toEqual([]);
		const eager = await openManual({ options: { runOnTest: true } });
		await deliver(eager, event({ event: 'ping' }));
		await awaitExecutions(eager, 1);
	});

	it.each([
		['dossier.closed', 'dossier.unknown'],
		// It looks like a test
		['test.finished', 'test.begun'],
	])(
		'of events whose names were typed by hand run the workflow: %s, not %s',
		async (typed, other) => {
			const host = await openManual({ options: { otherEvents: `${typed}, dossier.reopened` } });
			await deliver(host, event({ event: typed }));
			await deliver(host, event({ event: other }));
			await awaitExecutions(host, 1);
		},
	);

	it('are answered with the text in the options, and give out their headers if that is chosen', async () => {
		const host = await openManual({ options: { responseBody: 'received', includeHeaders: true } });
		const { data } = await deliver(host, event(), { 'X-Webhook-Id': 'del_9' });
		expect(data).toBe('received');
		await awaitExecutions(host, 1);
		expect(host.executions[0]?.[0]?.json.headers).toMatchObject({ 'x-webhook-id': 'del_9' });
	});

	it('are given out as they were sent: further fields, a list as data, long numbers, behind a byte order mark', async () => {
		const host = await openManual();
		const sent = '{"event": "document.uploaded", "version": 3, "data": [{"id": 9007199254740993}]}';
		expect((await deliver(host, `\uFEFF${sent}`)).status).toBe(200);
		await awaitExecutions(host, 1);
		const { delivery, ...given } = host.executions[0]?.[0]?.json ?? {};
		expect(given).toEqual({
			event: 'document.uploaded',
			version: 3,
			data: [{ id: '9007199254740993' }],
		});
		expect(delivery).toMatchObject({ id: null, attempt: null });
	});

	it.each([
		['cannot be downloaded', 'data', { code: 'DOCUMENT_NOT_FOUND', status: 404 }],
		[
			'has no field for its file',
			' ',
			{ code: 'INVALID_INPUT', message: "The field 'Put Output File in Field' is empty" },
		],
	])('of a document that %s still run the workflow, with the reason', async (_, field, reason) => {
		const host = await openManual({ download: true, binaryPropertyName: field });
		await deliver(host, event());
		await awaitExecutions(host, 1);
		expect(host.executions[0]?.[0]?.json.download_error).toMatchObject(reason);
	});

	it('are answered before the file is fetched, once n8n has stored the event', async () => {
		const host = await openManual({ download: true, binaryPropertyName: 'data' });
		const slow = { operation: 'documents.download', delay_ms: 5_000, times: 1 };
		await service.sandbox.faults.add(slow);
		const { data } = await deliver(host, event());
		expect([data, host.begins, host.executions.length]).toEqual([{ ok: true }, 1, 0]);
		await awaitExecutions(host, 1);
	});
});
