import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox } from '../src/index.ts';
import { killAll, started } from './child.ts';
import { clientOf, organizationOf, uploadOf } from './client.ts';
import { controlOf, second } from './control.ts';
import { receiver } from './receiver.ts';
import type { Receiver } from './receiver.ts';

let dataDir: string;
let hook: Receiver;
beforeEach(async () => {
	dataDir = mkdtempSync(join(tmpdir(), 'delivery-restart-test-'));
	hook = await receiver();
});
afterEach(async () => {
	killAll();
	await hook.close();
	rmSync(dataDir, { recursive: true, force: true });
});

const events = ['dossier.created', 'document.uploaded'];

test('what was not delivered is, after a restart, and what was is not again', async () => {
	const first = await createSandbox({ dataDir });
	const client = clientOf(first, organizationOf(first, 'business'));
	await client.post('/webhooks', { url: hook.url, events });
	await client.post('/dossiers', { title: 'delivered' });
	await controlOf(first).idle();
	hook.react(() => ({ status: 503 }));
	await client.post('/dossiers', { title: 'failed once' });
	await hook.arrived(2);
	await controlOf(first).idle();
	hook.react(() => 'never');
	await client.post('/dossiers', { title: 'under way' });
	await hook.arrived(3);
	await first.close();

	hook.react(() => ({ status: 204 }));
	const again = await createSandbox({ dataDir });
	await hook.arrived(4);
	await controlOf(again).move(5 * second);
	await controlOf(again).idle();
	expect(hook.received.slice(3).map(({ event }) => event.data.title)).toEqual([
		'under way',
		'failed once',
	]);
	await again.close();
});

test('kill -9 during deliveries loses no event of a write that was acknowledged', async () => {
	const { child, code, info } = await started(['--data', dataDir]);
	const client = clientOf(info, info.organizations[0]);
	await client.post('/webhooks', { url: hook.url, events });
	const dossier = (await client.post('/dossiers', { title: 'first' })).data;
	const acknowledged = new Set<string>([dossier.id]);
	const taken = new Set<unknown>();
	let refusing = true;
	hook.react(({ event: { data } }) => {
		if (refusing && hook.received.length % 2 === 0) return { status: 503 };
		taken.add(data.document_id ?? data.dossier_id);
		return { status: 204 };
	});
	let sent = 0;
	const writer = async () => {
		for (;;) {
			sent += 1;
			const upload = sent % 2 === 0;
			const { data } = upload
				? await client.post(`/dossiers/${dossier.id}/documents`, uploadOf(`content ${sent}`))
				: await client.post('/dossiers', { title: `number ${sent}` });
			acknowledged.add(data.id);
			if (acknowledged.size >= 200) child.kill('SIGKILL');
		}
	};
	await Promise.allSettled(Array.from({ length: 6 }, writer));
	await code;
	expect([...acknowledged].filter((id) => !taken.has(id)).length).toBeGreaterThan(0);

	refusing = false;
	const sandbox = await createSandbox({ dataDir });
	try {
		await controlOf(sandbox).move(5 * second);
		await controlOf(sandbox).idle();
		expect([...taken]).toEqual(expect.arrayContaining([...acknowledged]));
		const names = hook.received.map(({ headers }) => headers['x-webhook-id']);
		expect(new Set(names).size).toBe(taken.size);
	} finally {
		await sandbox.close();
	}
});

test('a restored snapshot goes on with what waited when it was taken', async () => {
	const sandbox = await createSandbox({ dataDir });
	const control = controlOf(sandbox);
	const client = clientOf(sandbox, organizationOf(sandbox, 'business'));
	await client.post('/webhooks', { url: hook.url, events });
	hook.react(() => ({ status: 503 }));
	await client.post('/dossiers', { title: 'waiting' });
	await control.idle();
	expect((await control.client.put('/snapshots/waiting')).status).toBe(201);
	hook.react(() => 'never');
	await client.post('/dossiers', { title: 'after the snapshot' });
	await hook.arrived(2);
	expect((await control.client.post('/snapshots/waiting/restore')).status).toBe(200);
	hook.react(() => ({ status: 204 }));
	await control.move(5 * second);
	await control.idle();
	expect(hook.received.map(({ event }) => event.data.title)).toEqual([
		'waiting',
		'after the snapshot',
		'waiting',
	]);
	expect(await control.deliveries()).toMatchObject([{ state: 'delivered' }]);
	await sandbox.close();
});
