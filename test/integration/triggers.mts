/** Triggers that live for one test, beside a sandbox that lives for one file. */
import waitFor from 'p-wait-for';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { useLog } from './n8n.mts';
import { useService } from './service.mts';
import { openTrigger } from './triggerHost.mts';
import type { TriggerHost, TriggerSetup } from './triggerHost.mts';
import { manual, SECRET } from './triggerSender.mts';

/** Binds them to the tests of the file that calls it. */
export function useTriggers() {
	const service = useService();
	const open: TriggerHost[] = [];

	afterEach(async () => {
		for (const host of open.splice(0)) {
			await host.stop();
			await host.deactivate();
		}
	});
	const log = useLog();

	const trigger = async (setup: Partial<TriggerSetup> = {}): Promise<TriggerHost> => {
		const host = await openTrigger({ credential: service.credential, ...setup });
		open.push(host);
		return host;
	};

	return {
		service,

		/** The warnings and errors in n8n's log during this test. */
		log,

		/** The webhooks that the service knows. */
		webhooks: async () =>
			(await service.client.get<{ data: IDataObject[] }>('/webhooks')).data.data,

		/** Sets a workflow up that begins with the trigger. */
		trigger,

		/** The same, registered by hand, with the secret that `deliver` signs with. */
		openManual: async (parameters: INodeParameters = {}, setup: Partial<TriggerSetup> = {}) =>
			await trigger({
				credential: { ...service.credential, webhookSecret: SECRET },
				parameters: { ...manual, ...parameters },
				...setup,
			}),

		/** The same, at another service. */
		openAt: async ({ url }: { url: string }, setup: Partial<TriggerSetup> = {}) =>
			await trigger({ credential: { ...service.credential, baseUrl: url }, ...setup }),
	};
}

/** Waits for something that comes by itself. */
export async function untilTrue(look: () => boolean | Promise<boolean>): Promise<void> {
	await waitFor(look, { interval: 10, timeout: 120_000 });
}

/** Waits until n8n has started the workflow that often, and fails if it started it more often. */
export async function awaitExecutions(host: TriggerHost, executions: number): Promise<void> {
	await untilTrue(() => host.executions.length >= executions);
	expect(host.executions).toHaveLength(executions);
}
