import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { Switches } from '../src/index.mts';
import { hour } from './clients.mts';
import type { Received } from './receiver.mts';
import { useSandbox } from './use-sandbox.mts';

const { client, control, openReceiver } = useSandbox();

/** Sets the scheme of signatures and registers a receiver. */
async function registerSigned(signature: Switches['signature'], given?: string) {
	await control.change({ switches: { signature } });
	const receiver = await openReceiver();
	const { data } = await client.post('/webhooks', {
		url: receiver.url,
		events: ['dossier.created'],
		secret: given,
	});
	return {
		id: String(data.id),
		secret: String(data.secret),
		/** Causes an event, and gives its delivery. */
		deliver: async () => {
			const before = receiver.received.length;
			await client.post('/dossiers', { title: 'Übergabe 銀行' });
			const [one] = (await receiver.arrived(before + 1)).slice(before);
			if (!one) throw new Error('Nothing arrived.');
			return one;
		},
	};
}

const digest = (secret: string | Buffer, content: string) =>
	createHmac('sha256', secret).update(content, 'utf8');
/** The headers in the type that the Standard Webhooks library takes. */
const flattenHeaders = (headers: Received['headers']) =>
	Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
const readSignature = ({ headers }: Received) => String(headers['x-webhook-signature']);

test('by default, a delivery is signed over its body, in hexadecimal with a prefix', async () => {
	const { secret, deliver } = await registerSigned('hex');
	const one = await deliver();
	expect(readSignature(one)).toBe(`sha256=${digest(secret, one.body).digest('hex')}`);
	expect(one.headers['x-webhook-id']).toMatch(/^evt_/);
	expect(one.headers['x-webhook-timestamp']).toMatch(/^\d{10}$/);
});

test.each([undefined, `whsec_${Buffer.from('a secret of the customer').toString('base64')}`])(
	'a signature can follow Standard Webhooks, with the secret %s',
	async (given) => {
		const { secret, deliver } = await registerSigned('standard', given);
		const { body, headers, event } = await deliver();
		const sent = flattenHeaders(headers);
		expect(new Webhook(secret).verify(body, sent)).toEqual(event);
		expect(() => new Webhook(secret).verify(`${body} `, sent)).toThrow();
		expect(headers).not.toHaveProperty('x-webhook-id');
		expect(headers).not.toHaveProperty('x-webhook-signature');
	},
);

test('with signature=bare, a delivery has no header of the service but the signature', async () => {
	const { secret, deliver } = await registerSigned('bare');
	const one = await deliver();
	expect(Object.keys(one.headers).filter((name) => name.startsWith('x-'))).toEqual([
		'x-webhook-signature',
	]);
	expect(readSignature(one)).toBe(`sha256=${digest(secret, one.body).digest('hex')}`);
});

test('a scheme with room for several signatures signs with the old and the new secret for 24 hours', async () => {
	const { id, secret, deliver } = await registerSigned('timestamped');
	const other = 'another secret of the customer';
	await client.patch(`/webhooks/${id}`, { secret: other });
	// The same secret again is not a change: the old one stays valid.
	await client.patch(`/webhooks/${id}`, { secret: other });
	const both = await deliver();
	const content = `${String(both.headers['x-webhook-timestamp'])}.${both.body}`;
	const expected = [other, secret].map((one) => `v1=${digest(one, content).digest('hex')}`);
	expect(readSignature(both).split(',').slice(1)).toEqual(expected);
	await control.move(24 * hour);
	expect(readSignature(await deliver()).split(',')).toHaveLength(2);
});

test('Standard Webhooks signs with both secrets, a scheme with room for one signature with the new one', async () => {
	const { id, secret, deliver } = await registerSigned('standard');
	const other = `whsec_${Buffer.from('another secret').toString('base64')}`;
	await client.patch(`/webhooks/${id}`, { secret: other });
	const { body, headers } = await deliver();
	const sent = flattenHeaders(headers);
	for (const one of [secret, other]) expect(new Webhook(one).verify(body, sent)).toBeTruthy();

	const single = await registerSigned('hex');
	await client.patch(`/webhooks/${single.id}`, { secret: other });
	const one = await single.deliver();
	expect(readSignature(one)).toBe(`sha256=${digest(other, one.body).digest('hex')}`);
});
