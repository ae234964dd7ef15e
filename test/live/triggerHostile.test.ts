/** What strangers can send to a trigger in real n8n, through its own body reader: nothing of it makes an execution. */
import { createHash } from 'node:crypto';
import { importWorkflow, saveNodes } from '../../scripts/host/rest.ts';
import { triggerStep, buildWorkflow } from '../../scripts/host/steps.ts';
import { measureMemory } from '../../scripts/process/usage.ts';
import { drawHostile, sendRaw } from '../integration/hostileRequests.ts';
import { HOSTS, OPENING_MS, openLive } from './live.ts';
import type { Live } from './live.ts';
import { until } from '../../scripts/process/until.ts';
import { observeTriggers } from './triggers.ts';
import { readItems } from '../../scripts/host/executions.ts';

/** Set HOSTILE_REQUESTS for more. */
const REQUESTS = Number(process.env.HOSTILE_REQUESTS ?? 200);
const AT_ONCE = 10;

const WEBHOOK_ID = '5a2d5f7b-8c1d-4b8e-a7c3-66f3f4a1b912';
/** How far ahead the hourly check is set at first. If publishing takes longer, the check is set further ahead. */
const AHEAD_MS = 15_000;
const LONGEST_MINUTES = 8;

/**
 * XML is left out: all requests of n8n share one parser (`xmlParser` in body-parser.js), which answers no more after some
 * broken documents, and n8n uses it before it asks any node.
 */
const isReadWell = ({ type }: { type: string }) => !type.includes('xml');

/** An id for a node of a workflow, by which the trigger's hourly check comes at a given time. */
function findNodeId(workflowId: string, at: Date): string {
	for (let n = 0; ; n += 1) {
		const owner = JSON.stringify([workflowId, `watched-${n}`, WEBHOOK_ID]);
		const [second = 0, minute = 0] = createHash('sha256').update(owner).digest();
		if (second % 60 === at.getUTCSeconds() && minute % 60 === at.getUTCMinutes())
			return `watched-${n}`;
	}
}

describe.each(HOSTS)('In %s', (hostName) => {
	let live: Live;
	let triggers: ReturnType<typeof observeTriggers>;

	beforeAll(async () => {
		live = await openLive(hostName);
		triggers = observeTriggers(live);
	}, OPENING_MS);
	afterAll(() => live.close());

	const importTrigger = async () =>
		await importWorkflow(
			live.session,
			buildWorkflow('Besieged', [
				{ ...triggerStep(await live.credential()), webhookId: WEBHOOK_ID },
			]),
		);

	it(
		`none of ${REQUESTS} hostile requests makes an execution, and a genuine delivery runs after them`,
		async () => {
			const workflow = await importTrigger();
			const url = new URL((await triggers.activate(workflow)).url);
			const requests = drawHostile(REQUESTS, isReadWell);
			const statuses = new Map<unknown, number>();
			const memory: number[] = [];
			for (let at = 0; at < REQUESTS; at += AT_ONCE) {
				const some = requests.slice(at, at + AT_ONCE);
				for (const status of await Promise.all(some.map(async (one) => await sendRaw(url, one)))) {
					statuses.set(status, (statuses.get(status) ?? 0) + 1);
				}
				const used = await measureMemory(live.host.group.pid);
				if (used === undefined) {
					throw new Error(`n8n has ended. Its last words:\n${live.host.group.tail().join('\n')}`);
				}
				memory.push(used);
			}
			const quarter = Math.ceil(memory.length / 4);
			const [early, late] = [memory.slice(0, quarter), memory.slice(-quarter)].map((some) =>
				Math.round(Math.min(...some) / 1e6),
			);
			process.stdout.write(
				`${hostName}: ${REQUESTS} hostile requests, answered ${JSON.stringify([...statuses])}, ${early} MB in the first quarter, ${late} MB in the last\n`,
			);
			for (const status of [400, 401, 413]) expect(statuses.get(status)).toBeGreaterThan(0);
			// 422 and 500 come from n8n, which parses some kinds of content before it asks the trigger.
			const known = new Set<unknown>([undefined, 400, 401, 413, 422, 500]);
			expect([...statuses.keys()].filter((status) => !known.has(status))).toEqual([]);
			expect(await triggers.listRuns(workflow)).toMatchObject({ count: 0 });
			const owner = { organization_id: live.organization.id, environment: 'test' } as const;
			await live.control.webhooks.emit(owner, { event: 'document.uploaded' });
			const [execution] = await triggers.finished(workflow, 1);
			const [item] = execution ? readItems(execution, 'Trigger') : [];
			expect(item?.json).toMatchObject({ event: 'document.uploaded', data: expect.any(Object) });
			const alone = async () => (await triggers.listRuns(workflow)).count === 1;
			expect(await until('one execution', alone)).toBe(true);
			await triggers.deactivate(workflow);
			await triggers.noRegistration();
		},
		300_000 + REQUESTS * 1_000,
	);

	/** Publishes the trigger, and has the service drop its registration before the hourly check. */
	async function dropRegistration() {
		let stored = await importTrigger();
		for (let ahead = AHEAD_MS; ; ahead *= 2) {
			const checkAt = Math.ceil((Date.now() + ahead) / 1000) * 1000;
			const id = findNodeId(stored.id, new Date(checkAt));
			const nodes = stored.nodes.map((node) => ({ ...node, id }));
			stored = await saveNodes(live.session, stored, nodes);
			const dropped = await triggers.activate(stored);
			await live.service.delete(`/webhooks/${dropped.id}`);
			if (Date.now() < checkAt) return { workflow: stored, dropped };
			// The check came before the drop, and the next one is an hour away.
			await triggers.deactivate(stored);
			await triggers.noRegistration();
		}
	}

	it(
		'a registration that the service drops comes back within the hour, with a line in the log',
		async () => {
			const { workflow, dropped } = await dropRegistration();
			const restored = await until(
				'registration',
				async () => (await triggers.webhooks())[0],
				LONGEST_MINUTES,
			);
			expect(restored).toMatchObject({ url: dropped.url, events: dropped.events });
			expect(restored.id).not.toBe(dropped.id);
			await until('word about it in the log', async () => {
				const log = await Promise.resolve(live.host.group.tail());
				return log.some((line) => line.includes('registered its webhook again'));
			});
			await triggers.deactivate(workflow);
			await triggers.noRegistration();
		},
		LONGEST_MINUTES * 120_000,
	);
});
