import { hash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSandbox } from './child.mts';
import {
	connect,
	connectControl,
	findOrganization,
	makeUpload,
	openCall,
	second,
	waitUntil,
} from './clients.mts';
import type { Receiver } from './receiver.mts';
import { useSandbox } from './use-sandbox.mts';

const { dataDir, listFiles, openReceiver, openSandbox } = useSandbox({
	isManual: true,
});

test('a sandbox without a data folder removes its files', async () => {
	const temporary = () =>
		readdirSync(tmpdir()).filter((name) => name.startsWith('dossier-sandbox-'));
	const before = temporary();
	const sandbox = await openSandbox();
	const [own] = temporary().filter((name) => !before.includes(name));
	expect(own).toBeDefined();
	await sandbox.close();
	expect(temporary()).not.toContain(own);
});

test('a second sandbox cannot use a data folder that is in use', async () => {
	await spawnSandbox(['--data', dataDir]);
	await expect(openSandbox({ dataDir })).rejects.toThrow(
		`The data folder ${dataDir} is in use by another sandbox.`,
	);
});

test('the next start cleans up after a process that was killed between moving a file and committing its document', async () => {
	const first = await openSandbox({ dataDir });
	const organization = findOrganization(first, 'business');
	const dossier = (await connect(first, organization).post('/dossiers', { title: 'a' })).data;
	const documents = `/dossiers/${dossier.id}/documents`;
	const kept = (await connect(first, organization).post(documents, makeUpload('kept'))).data;
	await first.close();
	// Such a process leaves the file in its place, but no document. A killed removal may have renamed the file and not deleted it.
	const sha256 = hash('sha256', 'moved');
	const put = (folder: string, name: string, content: string) => {
		mkdirSync(join(dataDir, folder), { recursive: true });
		writeFileSync(join(dataDir, folder, name), content);
	};
	put(join('files', sha256.slice(0, 2)), sha256, 'moved');
	put('incoming', `${sha256}.removed.0011`, 'moved');
	put('incoming', '0011', 'mov');
	const second = await openSandbox({ dataDir });
	await waitUntil(() => listFiles('incoming').length === 0);
	expect(listFiles('files')).toEqual([kept.checksum_sha256]);
	const client = connect(second, organization);
	expect((await client.get(documents)).data.data).toEqual([kept]);
	expect((await client.post(documents, makeUpload('moved'))).status).toBe(201);
	expect(listFiles('files').sort()).toEqual([kept.checksum_sha256, sha256].sort());
});

test('kill -9 during many uploads and deletions leaves exactly the files of the remaining documents', async () => {
	const { child, code, info } = await spawnSandbox(['--data', dataDir, '--rate-limits', 'off']);
	const client = connect(info, info.organizations[0]);
	const documents = `/dossiers/${(await client.post('/dossiers', { title: 'a' })).data.id}/documents`;
	const acknowledged = new Set<string>();
	let sent = 0;
	const writer = async () => {
		for (;;) {
			const { data } = await client.post(documents, makeUpload(`content ${sent++}`));
			acknowledged.add(data.id);
			if (sent % 3 === 0) {
				acknowledged.delete(data.id);
				await client.delete(`/documents/${data.id}`);
			}
			if (acknowledged.size === 60) child.kill('SIGKILL');
		}
	};
	await Promise.allSettled(Array.from({ length: 6 }, writer));
	await code;

	const sandbox = await openSandbox({ dataDir });
	const { data } = await connect(sandbox, info.organizations[0]).get(documents, {
		params: { per_page: 100 },
	});
	const listed: { id: string; checksum_sha256: string }[] = data.data;
	expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining([...acknowledged]));
	expect(listFiles('files').sort()).toEqual(
		listed.map(({ checksum_sha256 }) => checksum_sha256).sort(),
	);
});

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
			if (acknowledged.size >= 100) child.kill('SIGKILL');
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

test('an upload during a reset is answered with 404 and leaves no file', async () => {
	const sandbox = await openSandbox({ dataDir });
	const room = connectControl(sandbox);
	const client = connect(sandbox, findOrganization(sandbox, 'business'));
	const { id } = (await client.post('/dossiers', { title: 'a' })).data;
	const body = JSON.stringify(makeUpload('text'));
	const head = { 'Content-Type': 'application/json', 'Content-Length': body.length };
	const call = openCall(client, `/dossiers/${id}/documents`, head);
	call.write(body.slice(0, 30));
	await waitUntil(() => listFiles('incoming').length === 1);
	await room.post('/reset');
	const [answer] = await once(call.end(body.slice(30)), 'response');
	expect(answer.statusCode).toBe(404);
	expect(listFiles('files')).toEqual([]);
});
