/** The poll trigger in a real n8n: it runs once for each upload, and loses none if n8n is killed. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { activateWorkflow, importWorkflow } from '../../scripts/host/rest.ts';
import type { StoredWorkflow } from '../../scripts/host/rest.ts';
import { buildWorkflow } from '../../scripts/host/workflows.ts';
import { HOSTS, OPENING_MS, openLive } from './live.ts';
import type { Live } from './live.ts';
import { until } from './triggers.ts';

/** n8n allows no time more often than each minute, but several of them: so every five seconds. */
const POLL_TIMES = {
	item: Array.from({ length: 12 }, (_, n) => ({
		mode: 'custom',
		cronExpression: `${n * 5} * * * * *`,
	})),
};

const KILLS = 3;

describe.each(HOSTS)('The poll trigger in %s', (hostName) => {
	let live: Live;
	let workflow: StoredWorkflow;
	let dossier: string;
	const uploaded: string[] = [];
	/** What the workflow reported, which stands whatever n8n has stored when it is killed. */
	const reported: string[] = [];
	const server = createServer((request, response) => {
		void readText(request).then((text) => {
			reported.push((JSON.parse(text) as { data: { document_id: string } }).data.document_id);
			response.end();
		});
	});

	beforeAll(async () => {
		live = await openLive(hostName);
		dossier = (await live.service.post<{ id: string }>('/dossiers', { title: 'Polled' })).data.id;
		const trigger = {
			name: 'Trigger',
			type: 'n8n-nodes-dossier.dossierPollTrigger',
			parameters: { pollTimes: POLL_TIMES, events: ['document.uploaded'], options: {} },
			credentials: { dossierApi: await live.credential() },
		};
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const { port } = server.address() as AddressInfo;
		const report = {
			name: 'Report',
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: {
				method: 'POST',
				url: `http://127.0.0.1:${port}`,
				sendBody: true,
				specifyBody: 'json',
				jsonBody: '={{ JSON.stringify($json) }}',
				options: {},
			},
		};
		workflow = await importWorkflow(live.session, buildWorkflow('Polling', [trigger, report]));
	}, OPENING_MS);
	afterAll(async () => {
		server.close();
		await live.close();
	});

	async function upload(count: number): Promise<void> {
		for (let n = 0; n < count; n++) {
			const { data, status } = await live.service.post<{ id: string }>(
				`/dossiers/${dossier}/documents`,
				{
					file_name: `${uploaded.length}.pdf`,
					mime_type: 'application/pdf',
					category: 'invoice',
					content_base64: Buffer.from(String(uploaded.length)).toString('base64'),
				},
			);
			expect(status).toBe(201);
			uploaded.push(data.id);
		}
	}

	/** How many polls the service has answered. */
	async function countPolls(): Promise<number> {
		interface Entry {
			operation: string;
			status: number | null;
		}
		const { data } = await live.control.get<{ data: Entry[] }>('/journal', {
			params: { limit: 500 },
		});
		return data.data.filter(({ operation, status }) => operation === 'audit.list' && status).length;
	}

	async function nextPolls(count: number): Promise<void> {
		await live.control.delete('/journal');
		await until('poll', async () => (await countPolls()) >= count, 2);
	}

	const untilAllAreGiven = async () =>
		await until(
			'report of each upload',
			async () => {
				const ids = new Set(reported);
				return await Promise.resolve(uploaded.every((id) => ids.has(id)));
			},
			3,
		);

	it('begins when it is activated, and then runs once for each upload', async () => {
		await upload(1);
		const before = uploaded.splice(0);
		await live.control.delete('/journal');
		await activateWorkflow(live.session, workflow);
		await until('first poll', async () => (await countPolls()) > 0, 2);
		await nextPolls(2);
		await upload(3);
		await untilAllAreGiven();
		await upload(2);
		await untilAllAreGiven();
		await nextPolls(2);
		expect([...reported].sort()).toEqual([...uploaded].sort());
		expect(reported).not.toContain(before[0]);
	}, 400_000);

	it('gives nothing twice after an orderly restart', async () => {
		await live.restartHost();
		await nextPolls(2);
		expect([...reported].sort()).toEqual([...uploaded].sort());
	}, 400_000);

	it('loses nothing if n8n is killed', async () => {
		for (let kill = 0; kill < KILLS; kill++) {
			await upload(3);
			await nextPolls(1);
			process.kill(-live.host.group.pid, 'SIGKILL');
			await live.host.group.ended;
			await live.restartHost(async () => await upload(1));
		}
		await untilAllAreGiven();
		expect([...new Set(reported)].sort()).toEqual([...uploaded].sort());
	}, 600_000);
});
