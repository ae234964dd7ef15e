/** The setting that the log names if a refused delivery of an honest service would be genuine under it. */
import { createHmac } from 'node:crypto';
import { openTranslator } from '../../nodes/Dossier/api/translation';
import { applySignature } from '../../nodes/Dossier/trigger/scheme';
import { suggestSetting } from '../../nodes/Dossier/trigger/suggest';
import { PRESETS, verifyDelivery } from '../../nodes/Dossier/trigger/verify';
import type { Delivery } from '../../nodes/Dossier/trigger/verify';

const NOW = 1_614_265_330_000;
const SECONDS = String(NOW / 1000);
const ISO = new Date(NOW).toISOString();
const BODY = '{"event":"document.uploaded","data":{"document_id":"doc_1"}}';
const SECRET = 'a secret of the service';
const WHSEC = `whsec_${Buffer.from('a secret in base64, as usual').toString('base64')}`;

const hmac = (content: string, key: string | Buffer = SECRET) =>
	createHmac('sha256', key).update(content).digest();
const hex = (content: string) => hmac(content).toString('hex');

const delivery = (headers: Record<string, string>, changes: Partial<Delivery> = {}): Delivery => ({
	rawBody: Buffer.from(BODY),
	headers: { 'content-type': 'application/json', 'content-length': '60', ...headers },
	secrets: ['another secret', SECRET],
	scheme: PRESETS.headers,
	now: NOW,
	...changes,
});

const PRESET = 'the Signature of Deliveries "Signature Header Over the Body" and the Dialect ';

const services: Array<[string, Record<string, string>, object, string?]> = [
	['GitHub', { 'x-hub-signature-256': `sha256=${hex(BODY)}` }, { header: 'x-hub-signature-256' }],
	[
		'Shopify',
		{ 'x-shopify-hmac-sha256': hmac(BODY).toString('base64') },
		{ header: 'x-shopify-hmac-sha256' },
	],
	[
		'Stripe',
		{ 'stripe-signature': `t=${SECONDS},v1=${hex(`${SECONDS}.${BODY}`)},v0=${'0'.repeat(64)}` },
		{
			header: 'stripe-signature',
			format: 't={timestamp},v1={signature}',
			content: '{timestamp}.{body}',
		},
	],
	[
		'Slack',
		{
			'x-slack-request-timestamp': SECONDS,
			'x-slack-signature': `v0=${hex(`v0:${SECONDS}:${BODY}`)}`,
		},
		{
			header: 'x-slack-signature',
			format: 'v0={signature}',
			content: 'v0:{timestamp}:{body}',
			timestampHeader: 'x-slack-request-timestamp',
		},
	],
	[
		'Twitch',
		{
			'twitch-eventsub-message-id': 'message-1',
			'twitch-eventsub-message-timestamp': ISO,
			'twitch-eventsub-message-signature': `sha256=${hex(`message-1${ISO}${BODY}`)}`,
		},
		{
			header: 'twitch-eventsub-message-signature',
			content: '{id}{timestamp}{body}',
			idHeader: 'twitch-eventsub-message-id',
			timestampHeader: 'twitch-eventsub-message-timestamp',
			timestampUnit: 'date',
		},
	],
	[
		'a service that signs the time in the assumed header',
		{ 'x-webhook-timestamp': SECONDS, 'x-webhook-signature': hex(`${SECONDS}.${BODY}`) },
		{
			header: 'x-webhook-signature',
			content: '{timestamp}.{body}',
			timestampHeader: 'x-webhook-timestamp',
		},
	],
	[
		'a service that names the parts of the header',
		{ 'x-signature': `keyId="1",algorithm="hmac-sha256",signature="${hex(BODY)}"` },
		{ header: 'x-signature', format: 'signature="{signature}' },
	],
	[
		'a service with the signing of Standard Webhooks under other names',
		{
			'x-acme-id': 'msg_1',
			'x-acme-timestamp': SECONDS,
			'x-acme-signature': `v1,${hmac(`msg_1.${SECONDS}.${BODY}`, Buffer.from(WHSEC.slice(6), 'base64')).toString('base64')}`,
		},
		{
			header: 'x-acme-signature',
			content: '{id}.{timestamp}.{body}',
			idHeader: 'x-acme-id',
			timestampHeader: 'x-acme-timestamp',
			secretEncoding: 'base64',
		},
		WHSEC,
	],
	[
		'a service behind a network that adds long headers before',
		{
			'x-amz-cf-id': 'a'.repeat(56),
			traceparent: `00-${'b'.repeat(32)}-${'c'.repeat(16)}-01`,
			'x-trace': 'd'.repeat(64),
			'x-cache-key': 'e'.repeat(64),
			'x-visitor': 'f'.repeat(64),
			'x-hub-signature-256': `sha256=${hex(BODY)}`,
		},
		{ header: 'x-hub-signature-256' },
	],
];

describe('The suggestion for a delivery of', () => {
	it.each(services)('%s names all that is to be set', (_, headers, signature, secret = SECRET) => {
		const sent = delivery(headers, { secrets: ['another secret', secret] });
		const suggestion = suggestSetting(sent);
		expect(suggestion).toBe(PRESET + JSON.stringify({ signature }));
		const { dialect } = openTranslator(suggestion?.slice(PRESET.length) ?? '');
		const scheme = applySignature(PRESETS.headers, dialect.signature ?? {});
		expect(verifyDelivery({ ...sent, scheme })).toMatchObject({ ok: true });
	});

	it.each(services)('%s is absent if somebody else has signed it', (_, headers) => {
		expect(suggestSetting(delivery(headers, { secrets: ['another secret'] }))).toBeUndefined();
	});

	it('a service with two signatures that nothing known separates names no format, and shows none of them', () => {
		const headers = { 'x-signature': `${'0'.repeat(64)}|${hex(BODY)}` };
		expect(suggestSetting(delivery(headers))).toBeUndefined();
	});

	it('a service with a text that only this instance knows can be set by hand: the address before the body', () => {
		const url = 'https://n8n.example/webhook/1/webhook';
		const signature = { header: 'x-square-hmacsha256-signature', content: `${url}{body}` };
		const headers = { [signature.header]: hmac(url + BODY).toString('base64') };
		const scheme = applySignature(PRESETS.headers, signature);
		expect(verifyDelivery(delivery(headers, { scheme })).ok).toBe(true);
	});
});
