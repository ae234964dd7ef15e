import { auditTarget } from '../accounts/audit.mts';
import type { JsonObject } from '../platform/json.mts';
import { answerWith, deleteRecord } from './call.mts';
import type { Call, Handler } from './call.mts';
import { listPage, listRecords } from './list-page.mts';
import { openFile } from './open-file.mts';

const findDossier = ({ service, dataset, id }: Call) => service.dossiers.find(dataset, id);

/** The operations on dossiers, their documents and tasks, by their name in the contract. */
export const recordOperations: Record<string, Handler> = {
	'dossiers.list': listRecords('dossiers', ({ dossiers }) => dossiers),

	'dossiers.create': answerWith(201, ({ service, context, body }) =>
		service.dossiers.create(context, body),
	),

	'dossiers.get': answerWith(200, (call) => findDossier(call).fields),

	'dossiers.update': {
		find: findDossier,
		complete: completeReplacement,
		handle: (call) => {
			// The dossier may have changed since the body was validated: merge with what is there now.
			const resource = completeReplacement(call, call.body);
			return { status: 200, body: call.service.dossiers.replace(call.context, call.id, resource) };
		},
	},

	'dossiers.delete': deleteRecord(({ dossiers }) => dossiers),

	'documents.list': {
		find: findDossier,
		handle: (call) => {
			const within = { sql: 'dossier = ?', value: findDossier(call).n };
			return listPage(call, 'documents', within, call.service.documents);
		},
	},

	'documents.upload': {
		find: findDossier,
		...answerWith(201, (call) => addDocument(call, call.id)),
	},

	'documents.get': answerWith(
		200,
		({ service, dataset, id }) => service.documents.find(dataset, id).fields,
	),

	'documents.download': {
		handle: async ({ service, context, id, isHead }) => {
			const { documents, files, audit } = service;
			const document = documents.find(context.dataset, id).fields;
			const answer = await openFile(files, document);
			if (isHead) return answer;
			try {
				audit.record(context, 'document.downloaded', auditTarget('document', document, 'title'));
			} catch (error) {
				await answer.file.close();
				throw error;
			}
			return answer;
		},
	},

	'documents.delete': deleteRecord(({ documents }) => documents),

	'tasks.list': listRecords('tasks', ({ tasks }) => tasks),

	'tasks.create': answerWith(201, ({ service, context, body }) =>
		service.tasks.create(context, body),
	),

	'tasks.update': {
		find: ({ service, dataset, id }) => service.tasks.find(dataset, id),
		...answerWith(200, ({ service, context, id, body }) => service.tasks.patch(context, id, body)),
	},

	'tasks.delete': deleteRecord(({ tasks }) => tasks),
};

/** Adds a document with the file that came with the call. */
export function addDocument({ service, context, upload }: Call, dossierId: string): JsonObject {
	return service.documents.add(context, dossierId, upload);
}

/** The dossier after a PUT: its body or, if a PUT merges, the stored dossier with the fields of the body. */
function completeReplacement(call: Call, body: JsonObject): JsonObject {
	return call.service.switches.put === 'merges' ? { ...findDossier(call).fields, ...body } : body;
}
