import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { createSandbox } from '../src/index.ts';
import type { Sandbox, Switches } from '../src/index.ts';
import { clientOf, organizationOf } from './client.ts';
import { controlOf, hour } from './control.ts';
import { receiver } from './receiver.ts';
import type { Received, Receiver } from './receiver.ts';

let sandbox: Sandbox | undefined;
let hook: Receiver;
beforeEach(async () => {
	hook = await receiver();
});
afterEach(async () => {
	await sandbox?.close();
	await hook.close();
});

/** A sandbox with these switches, and a webhook in it. */
async function signing(switches: Partial<Switches>, given?: string) {
	sandbox = await createSandbox({ switches });
	const organization = organizationOf(sandbox, 'business');
	const client = clientOf(sandbox, organization);
	const { data } = await controlOf(sandbox).client.post('/webhooks', {
		organization_id: organization.id,
		url: hook.url,
		...(given !== undefined && { secret: given }),
	});
	const control = controlOf(sandbox);
	return {
		id: String(data.id),
		secret: String(data.secret),
		control,
		client,
		/** What comes when something happens. */
		next: async () => {
			const before = hook.received.length;
			await client.post('/dossiers', { title: 'Übergabe 銀行' });
			const [one] = (await hook.arrived(before + 1)).slice(before);
			if (!one) throw new Error('Nothing came.');
			return one;
		},
	};
}

const digest = (secret: string | Buffer, content: string) =>
	createHmac('sha256', secret).update(content, 'utf8');
/** The headers as the library of Standard Webhooks wants them. */
const sentIn = (headers: Received['headers']) =>
	Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
const signatureOf = ({ headers }: Received) => String(headers['x-webhook-signature']);

test('by default it is hexadecimal with a prefix, over the body', async () => {
	const { secret, next } = await signing({});
	const one = await next();
	expect(signatureOf(one)).toBe(`sha256=${digest(secret, one.body).digest('hex')}`);
	expect(one.headers['x-webhook-id']).toMatch(/^evt_/);
	expect(one.headers['x-webhook-timestamp']).toMatch(/^\d{10}$/);
});

test('it is hexadecimal without a prefix', async () => {
	const { secret, next } = await signing({ signature: 'hex' });
	const one = await next();
	expect(signatureOf(one)).toBe(digest(secret, one.body).digest('hex'));
});

test('it is base64', async () => {
	const { secret, next } = await signing({ signature: 'base64' });
	const one = await next();
	expect(signatureOf(one)).toBe(digest(secret, one.body).digest('base64'));
});

test('it is over the time and the body, in one header with the time', async () => {
	const { secret, next } = await signing({ signature: 'timestamped' });
	const one = await next();
	const [, time, signature] = /^t=(\d{10}),v1=([0-9a-f]{64})$/.exec(signatureOf(one)) ?? [];
	expect(signature).toBe(digest(secret, `${time}.${one.body}`).digest('hex'));
	expect(time).toBe(one.headers['x-webhook-timestamp']);
});

test.each([undefined, `whsec_${Buffer.from('a secret of the customer').toString('base64')}`])(
	'it is that of Standard Webhooks, by the secret %s',
	async (given) => {
		const { secret, next } = await signing({ signature: 'standard-webhooks' }, given);
		const { body, headers, event } = await next();
		const sent = sentIn(headers);
		expect(new Webhook(secret).verify(body, sent)).toEqual(event);
		expect(() => new Webhook(secret).verify(`${body} `, sent)).toThrow();
		expect(headers).not.toHaveProperty('x-webhook-id');
		expect(headers).not.toHaveProperty('x-webhook-signature');
	},
);

test('a secret that is not of that form is the key as it is', async () => {
	const secret = 'a secret of the customer';
	const { next } = await signing({ signature: 'standard-webhooks' }, secret);
	const { body, headers } = await next();
	const sent = sentIn(headers);
	expect(new Webhook(secret, { format: 'raw' }).verify(body, sent)).toBeTruthy();
});

test('with the name of the delivery off, nothing but the signature comes', async () => {
	const { secret, next } = await signing({ deliveryIdHeader: 'off' });
	const one = await next();
	expect(Object.keys(one.headers).filter((name) => name.startsWith('x-'))).toEqual([
		'x-webhook-signature',
	]);
	expect(signatureOf(one)).toBe(`sha256=${digest(secret, one.body).digest('hex')}`);
});

test('for 24 hours after a secret was changed, both sign where the scheme has room for both', async () => {
	const { id, secret, control, client, next } = await signing({ signature: 'timestamped' });
	const other = 'another secret of the customer';
	await client.patch(`/webhooks/${id}`, { secret: other });
	// The same secret again is no change, and does not end the time of the one before.
	await client.patch(`/webhooks/${id}`, { secret: other });
	const both = await next();
	const content = `${String(both.headers['x-webhook-timestamp'])}.${both.body}`;
	const expected = [other, secret].map((one) => `v1=${digest(one, content).digest('hex')}`);
	expect(signatureOf(both).split(',').slice(1)).toEqual(expected);
	await control.move(24 * hour);
	expect(signatureOf(await next()).split(',')).toHaveLength(2);
});

test('Standard Webhooks carries both signatures too, and a single signature is by the new secret', async () => {
	const { id, secret, client, next } = await signing({ signature: 'standard-webhooks' });
	const other = `whsec_${Buffer.from('another secret').toString('base64')}`;
	await client.patch(`/webhooks/${id}`, { secret: other });
	const { body, headers } = await next();
	const sent = sentIn(headers);
	for (const one of [secret, other]) expect(new Webhook(one).verify(body, sent)).toBeTruthy();
	await sandbox?.close();

	const single = await signing({});
	await single.client.patch(`/webhooks/${single.id}`, { secret: other });
	const one = await single.next();
	expect(signatureOf(one)).toBe(`sha256=${digest(other, one.body).digest('hex')}`);
});
