import type { Handler } from './call.ts';
import { auditTarget } from '../accounts/audit.ts';
import { openFile } from './open-file.ts';
import { listPage } from './list-page.ts';

/** The operations on documents, by their name in the contract. */
export const documentOperations: Record<string, Handler> = {
	'documents.list': (call) => {
		const { dossiers, documents } = call.service;
		const { n } = dossiers.find(call.dataset, call.id);
		return listPage(call, 'documents', { sql: 'dossier = ?', value: n }, (row) =>
			documents.readFields(row),
		);
	},

	'documents.upload': async (call) => {
		const { dossiers, documents } = call.service;
		dossiers.find(call.dataset, call.id);
		const body = await call.upload((upload) => documents.add(call.context, call.id, upload));
		return { status: 201, body };
	},

	'documents.get': (call) => ({
		status: 200,
		body: call.service.documents.find(call.dataset, call.id),
	}),

	'documents.download': async (call) => {
		const { documents, files, audit } = call.service;
		const document = documents.find(call.dataset, call.id);
		const answer = await openFile(files, document);
		try {
			audit.record(call.context, 'document.downloaded', auditTarget('document', document, 'title'));
		} catch (error) {
			await answer.file.close();
			throw error;
		}
		return answer;
	},

	'documents.delete': (call) => {
		call.service.documents.delete(call.context, call.id);
		return { status: 200, body: { id: call.id, deleted: true } };
	},
};
