import type { IncomingMessage } from 'node:http';
import type { RequestContext } from '../accounts/caller.mts';
import { receiveUpload } from '../http/upload/receive.mts';
import type { JsonObject } from '../platform/json.mts';
import type { Service } from '../service.mts';

/** Adds the file of a form to a dossier. Throws what the service refuses. */
export async function addUpload(
	service: Service,
	incoming: IncomingMessage,
	context: RequestContext,
	dossierId: string,
): Promise<void> {
	const operation = service.contract.operation('documents.upload');
	const upload = await receiveUpload(incoming, service.files, {
		maxFileBytes: service.options.maxFileBytes,
		formats: 'both',
		validate: (type, body) =>
			service.validation.checkRequestBody(operation, type, withoutBlanks(body)),
	});
	try {
		const fields = withoutBlanks(upload.fields);
		service.documents.add(context, dossierId, { ...upload, fields });
	} finally {
		await upload.file.discard();
	}
}

/** Fields that are not empty. The file is always kept: its value is empty. */
function withoutBlanks(body: JsonObject): JsonObject {
	const entries = Object.entries(body).filter(([name, value]) => value !== '' || name === 'file');
	return Object.fromEntries(entries);
}
