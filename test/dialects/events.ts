/** Both triggers, while the core job is done. */
import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../nodes/Dossier/api/json';
import { openPolling } from '../integration/pollHost';
import { openTrigger } from '../integration/triggerHost';
import { untilTrue } from '../integration/triggers';
import type { JobSetup } from './spoken';

/** What the job causes, as the service says it. */
const CAUSED: Record<string, number> = {
	'document.deleted': 3,
	'document.uploaded': 4,
	'dossier.created': 5,
	'portal.user_invited': 2,
	'task.due_soon': 1,
};
const LATER = 10 * 60_000;
const count = Object.values(CAUSED).reduce((sum, one) => sum + one);

/** Opens a trigger for deliveries and one that polls. `check` compares what they gave with what the job has caused. */
export async function watchEvents({ service, credential }: JobSetup) {
	const { organization, dialect } = service;
	const parameters = { events: ['*'] };
	const isManual = dialect.registration?.path === null;
	const own = { ...credential };
	const host = await openTrigger({
		credential: own,
		parameters: { ...parameters, registration: isManual ? 'manual' : 'automatic' },
	});
	const polling = openPolling({ credential, parameters });
	if (isManual) {
		const { secret } = await service.control('post', '/webhooks', {
			organization_id: organization.id,
			environment: 'test',
			url: host.url,
			events: Object.keys(CAUSED),
		});
		own.webhookSecret = toText(secret) ?? '';
	}
	try {
		await host.activate();
		await polling.poll();
	} catch (error) {
		await host.stop();
		throw error;
	}

	const checkItems = (items: IDataObject[], dossier: string) => {
		const kinds = Object.groupBy(items, ({ event }) => toText(event) ?? '');
		const counts = Object.entries(kinds).map(([kind, some]) => [kind, some?.length]);
		expect(Object.fromEntries(counts)).toEqual(CAUSED);
		const data = (kind: string) => (kinds[kind] ?? []).map((one) => one.data as IDataObject);
		const created = data('dossier.created').find(({ title }) => title === 'Third');
		expect(created).toBeDefined();
		const uploaded = data('document.uploaded').find(({ category }) => category === 'other');
		expect(toText(uploaded?.dossier_id)).toBe(dossier);
		expect(toText(data('task.due_soon')[0]?.dossier_id)).toBe(dossier);
	};

	return {
		check: async (dossier: string) => {
			await service.control('get', '/deliveries/idle');
			await untilTrue(() => host.executions.length >= count).catch(() => {
				const { answers, executions } = host;
				throw new Error(
					`trigger: ${executions.length} of ${count} events, answers ${answers.join(' ')}`,
				);
			});
			const delivered = host.executions.flat().map(({ json }) => json);
			checkItems(delivered, dossier);
			// Due tasks are looked for once in five minutes.
			const now = Date.now();
			const clock = jest.spyOn(Date, 'now').mockImplementation(() => now + LATER);
			try {
				checkItems(
					(await polling.poll()).map(({ json }) => json),
					dossier,
				);
				await polling.restart();
				expect(await polling.poll()).toEqual([]);
			} catch (error) {
				throw new Error(`poll: ${String(error)}`);
			} finally {
				clock.mockRestore();
			}
		},
		stop: async () => {
			try {
				await host.deactivate();
			} finally {
				await host.stop();
			}
		},
	};
}
