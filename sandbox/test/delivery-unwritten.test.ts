import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RequestContext } from '../src/accounts/caller.ts';
import { readContract } from '../src/contract/contract.ts';
import { Service } from '../src/service.ts';
import { profiles } from '../src/contract/switches.ts';
import { hour } from './control.ts';
import { receiver } from './receiver.ts';
import type { Receiver } from './receiver.ts';

let dataDir: string;
let service: Service;
let hook: Receiver;
let act: RequestContext;
beforeEach(async () => {
	dataDir = mkdtempSync(join(tmpdir(), 'delivery-unwritten-test-'));
	hook = await receiver();
	const options = {
		environment: 'production' as const,
		maxFileBytes: 1,
		rateLimits: 'off' as const,
		deliveryTimeoutMs: 10_000,
	};
	service = new Service(dataDir, readContract(), options, profiles.default);
	const [organization] = service.organizations.seeded();
	act = {
		dataset: service.organizations.dataset(String(organization?.id), 'live').n,
		userId: 'usr_1',
		time: service.clock.iso(),
		actor: { type: 'system', id: null, name: null },
		ipAddress: null,
		userAgent: null,
		requestId: null,
	};
	service.webhooks.create(act, {
		url: hook.url,
		events: ['dossier.created', 'task.due_soon'],
	});
	jest.spyOn(console, 'error').mockImplementation();
});
afterEach(async () => {
	jest.restoreAllMocks();
	service.close();
	await hook.close();
	rmSync(dataDir, { recursive: true });
});

const full = () => {
	throw new Error('database or disk is full');
};

test('an outcome that cannot be written is written later, and the event is not sent again', async () => {
	jest.spyOn(service.deliveries, 'settle').mockImplementationOnce(full);
	service.dossiers.create(act, { title: 'a' });
	expect(await service.dispatch.idle(10_000)).toBe(true);
	expect(hook.received).toHaveLength(1);
	expect(service.deliveryLog.counts()).toEqual({ pending: 0, delivered: 1, failed: 0 });
});

test('a task that cannot be announced is announced later', async () => {
	const due_at = new Date(service.clock.now() + hour).toISOString();
	jest.spyOn(service.events, 'emit').mockImplementationOnce(full);
	service.tasks.create(act, { title: 'a', due_at });
	await hook.arrived(1);
	expect(hook.received[0]?.event.event).toBe('task.due_soon');
});
