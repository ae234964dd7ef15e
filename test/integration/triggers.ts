/** Triggers that live for one test, beside a sandbox that lives for one file. */
import type { IDataObject } from 'n8n-workflow';
import { useBinaryMode } from './n8n';
import { startService } from './service';
import type { Service } from './service';
import { openTrigger } from './triggerHost';
import type { TriggerHost, TriggerSetup } from './triggerHost';

/** Binds them to the tests of the file that calls it. */
export function useTriggers() {
	let service: Service;
	let forget: () => Promise<void>;
	const open: TriggerHost[] = [];

	beforeAll(async () => {
		service = await startService();
		forget = await useBinaryMode('filesystem');
	});

	afterEach(async () => {
		for (const host of open.splice(0)) {
			await host.deactivate();
			await host.stop();
		}
	});

	afterAll(async () => {
		await service.stop();
		await forget();
	});

	return {
		service: () => service,

		/** The webhooks that the service knows. */
		webhooks: async () =>
			(await service.client.get<{ data: IDataObject[] }>('/webhooks')).data.data,

		/** Sets a workflow up that begins with the trigger. */
		trigger: async (setup: Partial<TriggerSetup> = {}): Promise<TriggerHost> => {
			const host = await openTrigger({ credential: service.credential, ...setup });
			open.push(host);
			return host;
		},
	};
}

/** Waits until a workflow was started so many times. */
export async function until(host: TriggerHost, executions: number): Promise<void> {
	for (let tries = 0; host.executions.length < executions && tries < 500; tries++) {
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
	expect(host.executions).toHaveLength(executions);
}
