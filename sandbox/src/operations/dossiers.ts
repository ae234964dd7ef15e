import { pick } from '../platform/json.ts';
import type { JsonObject } from '../platform/json.ts';
import type { Call, Handler } from './call.ts';
import { listPage } from './list-page.ts';

/** The operations on dossiers, by their name in the contract. */
export const dossierOperations: Record<string, Handler> = {
	'dossiers.list': {
		handle: (call) =>
			listPage(call, 'dossiers', { sql: 'dataset = ?', value: call.dataset }, (row) =>
				call.service.dossiers.readFields(row),
			),
	},

	'dossiers.create': {
		handle: ({ service, context, body }) => ({
			status: 201,
			body: service.dossiers.create(context, body),
		}),
	},

	'dossiers.get': {
		handle: ({ service, dataset, id }) => ({
			status: 200,
			body: service.dossiers.find(dataset, id).fields,
		}),
	},

	'dossiers.update': {
		find: ({ service, dataset, id }) => void service.dossiers.find(dataset, id),
		complete: completeReplacement,
		handle: (call) => {
			// The dossier may have changed since the body was validated: merge with what is there now.
			const whole = completeReplacement(call, call.body);
			return { status: 200, body: call.service.dossiers.replace(call.context, call.id, whole) };
		},
	},

	'dossiers.delete': {
		handle: ({ service, context, id }) => {
			service.dossiers.delete(context, id);
			return { status: 200, body: { id, deleted: true } };
		},
	},
};

/** The dossier after a PUT: its body or, if a PUT merges, the stored dossier with the fields of the body. */
function completeReplacement({ service, dataset, id }: Call, body: JsonObject): JsonObject {
	const { fields } = service.dossiers.find(dataset, id);
	if (service.switches.put === 'merges') return { ...fields, ...body };
	// What callers cannot set stays.
	const kept = service.dialect.dossier?.readOnly ?? [];
	return { ...pick(fields, kept), ...body };
}
