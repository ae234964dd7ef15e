import type { Handler } from '../http/call.ts';
import { listed } from './listed.ts';

/** The operations on dossiers, by their name in the contract. */
export const dossierOperations: Record<string, Handler> = {
	'dossiers.list': (call) =>
		listed(call, 'dossiers', { sql: 'dataset = ?', value: call.dataset }, (row) =>
			call.service.dossiers.fieldsOf(row),
		),

	'dossiers.create': async (call) => {
		const body = await call.body();
		return { status: 201, body: call.service.dossiers.create(call.act, body) };
	},

	'dossiers.get': (call) => ({
		status: 200,
		body: call.service.dossiers.find(call.dataset, call.id).fields,
	}),

	'dossiers.update': async (call) => {
		const { dossiers } = call.service;
		const { fields } = dossiers.find(call.dataset, call.id);
		const body = await call.body(fields);
		return { status: 200, body: dossiers.replace(call.act, call.id, body) };
	},

	'dossiers.delete': (call) => {
		call.service.dossiers.delete(call.act, call.id);
		return { status: 200, body: { id: call.id, deleted: true } };
	},
};
