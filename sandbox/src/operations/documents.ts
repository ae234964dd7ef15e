import { auditTarget } from '../accounts/audit.ts';
import type { Handler } from './call.ts';
import { listPage } from './list-page.ts';
import { openFile } from './open-file.ts';

/** The operations on documents, by their name in the contract. */
export const documentOperations: Record<string, Handler> = {
	'documents.list': {
		find: ({ service, dataset, id }) => void service.dossiers.find(dataset, id),
		handle: (call) => {
			const { dossiers, documents } = call.service;
			const { n } = dossiers.find(call.dataset, call.id);
			const within = { sql: 'dossier = ?', value: n };
			return listPage(call, 'documents', within, (row) => documents.readFields(row));
		},
	},

	'documents.upload': {
		find: ({ service, dataset, id }) => void service.dossiers.find(dataset, id),
		handle: ({ service, context, id, upload }) => ({
			status: 201,
			body: service.documents.add(context, id, upload),
		}),
	},

	'documents.get': {
		handle: ({ service, dataset, id }) => ({
			status: 200,
			body: service.documents.find(dataset, id),
		}),
	},

	'documents.download': {
		handle: async ({ service, context, id, isHead }) => {
			const { documents, files, audit } = service;
			const document = documents.find(context.dataset, id);
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

	'documents.delete': {
		handle: ({ service, context, id }) => {
			service.documents.delete(context, id);
			return { status: 200, body: { id, deleted: true } };
		},
	},
};
