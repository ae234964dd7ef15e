/** What strangers can send to a trigger in real n8n, through its own body reader: nothing of it makes an execution. */
import { importWorkflow } from '../../scripts/host/rest.ts';
import { buildWorkflow } from '../../scripts/host/workflows.ts';
import { drawHostile, sendRaw } from '../integration/hostileRequests.ts';
import { HOSTS, OPENING_MS, openLive } from './live.ts';
import type { Live } from './live.ts';
import { observeTriggers, until } from './triggers.ts';

/** Set HOSTILE_REQUESTS for more. */
const REQUESTS = Number(process.env.HOSTILE_REQUESTS ?? 200);
const AT_ONCE = 10;

describe.each(HOSTS)('In %s', (hostName) => {
	let live: Live;

	beforeAll(async () => {
		live = await openLive(hostName);
	}, OPENING_MS);
	afterAll(() => live.close());

	it(
		`none of ${REQUESTS} hostile requests makes an execution, and a genuine delivery runs after them`,
		async () => {
			const triggers = observeTriggers(live);
			const workflow = await importWorkflow(
				live.session,
				buildWorkflow('Besieged', [
					{
						name: 'Trigger',
						type: 'n8n-nodes-dossier.dossierTrigger',
						typeVersion: 1.1,
						parameters: { events: ['document.uploaded'], options: {} },
						credentials: { dossierApi: await live.credential() },
						webhookId: '5a2d5f7b-8c1d-4b8e-a7c3-66f3f4a1b912',
					},
				]),
			);
			const url = new URL((await triggers.activate(workflow)).url);
			const requests = drawHostile(REQUESTS);
			const statuses = new Map<unknown, number>();
			for (let at = 0; at < REQUESTS; at += AT_ONCE) {
				const some = requests.slice(at, at + AT_ONCE);
				for (const status of await Promise.all(some.map(async (one) => await sendRaw(url, one)))) {
					statuses.set(status, (statuses.get(status) ?? 0) + 1);
				}
			}
			for (const status of [400, 401, 413]) expect(statuses.get(status)).toBeGreaterThan(0);
			// 422 and 500 come from n8n, which parses some kinds of content before it asks the trigger.
			const known = new Set<unknown>([undefined, 400, 401, 413, 422, 500]);
			expect([...statuses.keys()].filter((status) => !known.has(status))).toEqual([]);
			expect(await triggers.listRuns(workflow)).toMatchObject({ count: 0 });
			await live.control.post('/emit', {
				organization_id: live.organization.id,
				environment: 'test',
				event: 'document.uploaded',
				count: 1,
			});
			await triggers.finished(workflow, 1);
			const alone = async () => (await triggers.listRuns(workflow)).count === 1;
			expect(await until('one execution', alone)).toBe(true);
			await triggers.deactivate(workflow);
			await triggers.noRegistration();
		},
		120_000 + REQUESTS * 200,
	);
});
