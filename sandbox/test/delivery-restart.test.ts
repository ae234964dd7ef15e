import { spawnSandbox } from './child.ts';
import { connect, findOrganization, makeUpload, second } from './clients.ts';
import type { Receiver } from './receiver.ts';
import { useSandbox } from './use-sandbox.ts';

const { dataDir, openReceiver, openSandbox } = useSandbox({ isManual: true });

let hook: Receiver;
beforeEach(async () => {
	hook = await openReceiver();
});

const events = ['dossier.created', 'document.uploaded'];

test('a restart sends the pending deliveries and repeats none that succeeded', async () => {
	const first = await openSandbox({ dataDir });
	const client = connect(first, findOrganization(first, 'business'));
	await client.post('/webhooks', { url: hook.url, events });
	await client.post('/dossiers', { title: 'delivered' });
	await first.deliveries.settle(120_000);
	hook.react(() => ({ status: 503 }));
	await client.post('/dossiers', { title: 'failed once' });
	await hook.arrived(2);
	await first.deliveries.settle(120_000);
	hook.react(() => 'never');
	await client.post('/dossiers', { title: 'under way' });
	await hook.arrived(3);
	await first.close();

	hook.react(() => ({ status: 204 }));
	const again = await openSandbox({ dataDir });
	await hook.arrived(4);
	await again.clock.move(5 * second);
	await again.deliveries.settle(120_000);
	expect(hook.received.slice(3).map(({ event }) => event.data.title)).toEqual([
		'under way',
		'failed once',
	]);
});

test('kill -9 during deliveries loses no event of an acknowledged write', async () => {
	const { child, code, info } = await spawnSandbox(['--data', dataDir]);
	const client = connect(info, info.organizations[0]);
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
				? await client.post(`/dossiers/${dossier.id}/documents`, makeUpload(`content ${sent}`))
				: await client.post('/dossiers', { title: `number ${sent}` });
			acknowledged.add(data.id);
			if (acknowledged.size >= 200) child.kill('SIGKILL');
		}
	};
	await Promise.allSettled(Array.from({ length: 6 }, writer));
	await code;
	expect([...acknowledged].filter((id) => !taken.has(id)).length).toBeGreaterThan(0);

	refusing = false;
	const sandbox = await openSandbox({ dataDir });
	// Beyond the next attempt of a delivery that has failed more than once
	await sandbox.clock.move(3600 * second);
	await sandbox.deliveries.settle(120_000);
	expect([...taken]).toEqual(expect.arrayContaining([...acknowledged]));
	const names = hook.received.map(({ headers }) => headers['x-webhook-id']);
	expect(new Set(names).size).toBe(taken.size);
});

test('a restored snapshot sends the deliveries that were pending when it was taken', async () => {
	const sandbox = await openSandbox({ dataDir });
	const client = connect(sandbox, findOrganization(sandbox, 'business'));
	await client.post('/webhooks', { url: hook.url, events });
	hook.react(() => ({ status: 503 }));
	await client.post('/dossiers', { title: 'waiting' });
	await sandbox.deliveries.settle();
	await sandbox.snapshots.take('waiting');
	hook.react(() => 'never');
	await client.post('/dossiers', { title: 'after the snapshot' });
	await hook.arrived(2);
	await sandbox.snapshots.restore('waiting');
	hook.react(() => ({ status: 204 }));
	await sandbox.clock.move(5 * second);
	await sandbox.deliveries.settle();
	expect(hook.received.map(({ event }) => event.data.title)).toEqual([
		'waiting',
		'after the snapshot',
		'waiting',
	]);
	expect(await sandbox.deliveries.list()).toMatchObject([{ state: 'delivered' }]);
});
