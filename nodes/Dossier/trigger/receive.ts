import { randomUUID } from 'crypto';
import type {
	IBinaryKeyData,
	IDataObject,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import type { DossierCredential } from '../api/address';
import { createApi } from '../api/client';
import { keyConnection } from '../api/connection';
import { receiveFile, safeFileName } from '../api/download';
import { ServiceError } from '../api/errors';
import { textOf } from '../api/values';
import { asList } from '../parameters';
import { openCredential, recentCredential } from './credential';
import { isWanted, marksOf, readEvent, remember } from './deliveries';
import type { EventEnvelope } from './deliveries';
import { leadingTo, registrationsOf } from './registration';
import { schemeOf, secretsOf } from './scheme';
import { verifyDelivery } from './signature';

const TEST_EVENT = /^(ping|test|webhook[._](ping|test)|test[._].*)$/i;

const listOf = (value: unknown) => asList(value ?? [], '', '') as string[];

/**
 * Answers the sender by hand. n8n itself can answer nothing but 200, and answers only after the run has begun, which makes
 * it forget to save the record of deliveries (measured in 2.40).
 */
function reply(
	context: IWebhookFunctions,
	status: number,
	body: IDataObject | string,
): IWebhookResponseData {
	const response = context.getResponseObject().status(status);
	if (typeof body === 'string') response.type('text/plain').send(body);
	else response.json(body);
	return { noWebhookResponse: true };
}

const refuse = (context: IWebhookFunctions, status: number, error: string) =>
	reply(context, status, { error });

async function bodyOf(context: IWebhookFunctions): Promise<Buffer> {
	const request = context.getRequestObject();
	if (!request.rawBody) await request.readRawBody();
	return request.rawBody ?? Buffer.alloc(0);
}

/** Whether this delivery came before; n8n keeps the record with the workflow. */
function cameBefore(staticData: IDataObject, place: string, marks: string[], now: number): boolean {
	const { duplicate, kept } = remember(place, textOf(staticData.seen) ?? '', marks, now);
	staticData.seen = kept;
	return duplicate;
}

/** The file of an uploaded document; where it cannot be had, the reason, so that the event is not lost. */
async function fileOf(
	context: IWebhookFunctions,
	{ data }: EventEnvelope,
	field: string,
): Promise<{ binary?: IBinaryKeyData; problem?: IDataObject }> {
	const manner = {
		concurrency: 1,
		longestWait: 90_000,
		timeout: 300_000,
		newKey: randomUUID,
	};
	const download = async () => {
		const api = createApi(await keyConnection(context), manner);
		const id = textOf(data.document_id);
		return await receiveFile(api, 'documents.download', { id }, async (file) => {
			const name = safeFileName(file.fileName) ?? 'document';
			const type = file.mimeType ?? 'application/octet-stream';
			return await context.helpers.prepareBinaryData(file.content, name, type);
		});
	};
	return await download().then(
		(binary) => ({ binary: { [field]: binary } }),
		(error: unknown) => {
			const { message, hint, code, status } =
				error instanceof ServiceError
					? error
					: new ServiceError({
							message: String(error),
							hint: 'Download the document with the Dossier node.',
						});
			context.logger.warn(`Dossier Trigger could not download a document: ${message}`);
			return { problem: { message, hint, code: code ?? null, status: status ?? null } };
		},
	);
}

/**
 * Takes a delivery: nothing is read of it before its signature is found genuine. A forged one gets 401 without a word
 * of why, and the owner one line in the log; neither makes an execution.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const headers = context.getHeaderData() as IDataObject;
	const address = context.getNodeWebhookUrl('default') ?? '';
	const now = Date.now();

	const rawBody = await bodyOf(context);
	const limit = (Number(options.largestBody) || 1024) * 1024;
	if (rawBody.length > limit) {
		context.logger.warn(`Dossier Trigger refused a delivery of ${rawBody.length} bytes`);
		return refuse(context, 413, 'too large');
	}

	const staticData = context.getWorkflowStaticData('node');
	const registrations = leadingTo(staticData, address);
	const registered = Object.values(registrations).map(({ secret }) => secret);
	const judge = (credential: DossierCredential) => {
		const secrets = secretsOf(credential, registered);
		const scheme = schemeOf(credential);
		return { secrets, scheme, verdict: verifyDelivery({ rawBody, headers, secrets, scheme, now }) };
	};
	const recent = await recentCredential(context, now);
	let judged = judge(recent.credential);
	if (!judged.verdict.ok && recent.at < now) {
		// The secret may have been replaced meanwhile.
		judged = judge((await openCredential(context, now)).credential);
	}
	const { secrets, scheme, verdict } = judged;
	const unsigned = options.allowUnsigned === true && secrets.length === 0;
	if (!verdict.ok && !unsigned) {
		context.logger.warn(`Dossier Trigger refused a delivery: ${verdict.reason}`);
		return refuse(context, 401, 'unauthorized');
	}

	const envelope = readEvent(rawBody);
	if (!envelope) {
		context.logger.warn('Dossier Trigger got a signed delivery that is no event');
		return refuse(context, 400, 'not an event');
	}
	const accept = (note?: string) =>
		reply(context, 200, textOf(options.responseBody) ?? { ok: true, ...(note && { note }) });

	const id = textOf(headers[scheme.idHeader]);
	const marks = marksOf(id, scheme.content.startsWith('id.'), rawBody);
	// What came to the test address does not count as known at the other one.
	const place = `${context.getMode()} ${address}`;
	// What is changed is saved as a whole, with the registration, which n8n may not have saved by itself yet.
	Object.assign(registrationsOf(staticData), registrations);
	if (cameBefore(staticData, place, marks, now)) return accept('duplicate');
	if (TEST_EVENT.test(envelope.event)) {
		if (options.runOnTest !== true) return accept('test event');
	} else {
		const filters = context.getNodeParameter('filters', {}) as IDataObject;
		const events = context.getNodeParameter('events', []) as string[];
		const wanted = {
			events: [...events, ...listOf(options.otherEvents)],
			dossiers: listOf(filters.dossiers),
			categories: listOf(filters.categories),
		};
		if (!isWanted(envelope, wanted)) return accept('not wanted');
	}

	const attempt = Number(headers['x-webhook-attempt']);
	const delivery: IDataObject = {
		id: id ?? null,
		received_at: new Date(now).toISOString(),
		attempt: Number.isInteger(attempt) ? attempt : null,
	};
	const item: INodeExecutionData = { json: { ...envelope, delivery } };
	if (options.includeHeaders === true) item.json.headers = headers;
	const withFile =
		envelope.event === 'document.uploaded' && context.getNodeParameter('download', false) === true;

	const answered = accept();
	if (!withFile) return { ...answered, workflowData: [[item]] };

	const field = context.getNodeParameter('binaryPropertyName', 'data') as string;
	const { binary, problem } = await fileOf(context, envelope, field);
	if (problem) item.json.download_error = problem;
	return { ...answered, workflowData: [[{ ...item, binary }]] };
}
