import type { Handler } from './call.ts';
import type { JsonObject } from '../platform/json.ts';
import { listPage } from './list-page.ts';

/** The operations on dossiers, by their name in the contract. */
export const dossierOperations: Record<string, Handler> = {
	'dossiers.list': (call) =>
		listPage(call, 'dossiers', { sql: 'dataset = ?', value: call.dataset }, (row) =>
			call.service.dossiers.readFields(row),
		),

	'dossiers.create': async (call) => {
		const body = await call.body();
		return { status: 201, body: call.service.dossiers.create(call.context, body) };
	},

	'dossiers.get': (call) => ({
		status: 200,
		body: call.service.dossiers.find(call.dataset, call.id).fields,
	}),

	'dossiers.update': async (call) => {
		const { dossiers, switches } = call.service;
		const present = () => dossiers.find(call.dataset, call.id).fields;
		present();
		// Where a PUT merges, it merges with what is there when it is written: another writer may have come meanwhile.
		const whole = (sent: JsonObject) =>
			switches.put === 'merges' ? { ...present(), ...sent } : sent;
		const sent = await call.body(whole);
		return { status: 200, body: dossiers.replace(call.context, call.id, whole(sent)) };
	},

	'dossiers.delete': (call) => {
		call.service.dossiers.delete(call.context, call.id);
		return { status: 200, body: { id: call.id, deleted: true } };
	},
};
