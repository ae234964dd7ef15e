import { sleep } from 'n8n-workflow';
import type {
	IBinaryKeyData,
	IDataObject,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import type { DossierCredential } from '../api/address';
import { BACKGROUND_POLICY } from '../api/callPolicy';
import { createApi } from '../api/client';
import { keyConnection } from '../api/connection';
import { receiveFile, safeFileName } from '../api/download';
import { toText } from '../api/values';
import { asList } from '../execution/parameters';
import { explain } from '../execution/problems/explain';
import { collectForms } from '../execution/problems/labels';
import { openCredential, recentCredential } from './credential';
import { isWanted, marksOf, readEvent, sight } from './deduplicate';
import type { EventEnvelope } from './deduplicate';
import { complete, leadingTo } from './register';
import { schemeOf, secretsOf } from './scheme';
import { verifyDelivery } from './verify';
import type { Delivery, Scheme } from './verify';

/** How long the sender waits while a file is downloaded, in ms, before it is answered without that. */
const PATIENCE = 5_000;

const TEST_EVENT = /^(ping|test|webhook[._](ping|test)|test[._].*)$/i;

const listOf = (value: unknown) => asList(value ?? []);

/** Answers the sender at once; n8n itself can answer nothing but 200. */
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

/** The file of an uploaded document; where it cannot be had, the reason, so that the event is not lost. */
async function fileOf(
	context: IWebhookFunctions,
	{ data }: EventEnvelope,
	field: string,
): Promise<{ binary?: IBinaryKeyData; problem?: IDataObject }> {
	const download = async () => {
		const api = createApi(await keyConnection(context), BACKGROUND_POLICY);
		const id = toText(data.document_id);
		return await receiveFile(api, 'documents.download', { id }, async (file) => {
			const name = safeFileName(file.fileName) ?? 'document';
			const type = file.mimeType ?? 'application/octet-stream';
			return await context.helpers.prepareBinaryData(file.content, name, type);
		});
	};
	return await download().then(
		(binary) => ({ binary: { [field]: binary } }),
		(error: unknown) => {
			const { message, hint, code, status } = explain(error, collectForms([]));
			context.logger.warn(`Dossier Trigger could not download a document: ${message}`);
			return { problem: { message, hint, code, status } };
		},
	);
}

/** Compares the signature with every secret known. Gives the scheme, and why the delivery is refused if it is. */
async function judge(
	context: IWebhookFunctions,
	delivery: Pick<Delivery, 'rawBody' | 'headers' | 'now'>,
	registered: string[],
	allowUnsigned: boolean,
): Promise<{ scheme: Scheme; refusal?: string }> {
	const judgeBy = (credential: DossierCredential) => {
		const secrets = secretsOf(credential, registered);
		const scheme = schemeOf(credential);
		const verdict = verifyDelivery({ ...delivery, secrets, scheme });
		if (verdict.ok || (allowUnsigned && secrets.length === 0)) return { scheme };
		return { scheme, refusal: verdict.reason };
	};
	const recent = await recentCredential(context, delivery.now);
	const judged = judgeBy(recent.credential);
	if (judged.refusal === undefined || recent.at === delivery.now) return judged;
	// The secret may have been replaced meanwhile.
	return judgeBy((await openCredential(context, delivery.now)).credential);
}

/** Whether the form of the trigger lets an event pass; if not, why. */
function heldBack(
	context: IWebhookFunctions,
	envelope: EventEnvelope,
	options: IDataObject,
): string | undefined {
	if (TEST_EVENT.test(envelope.event)) {
		return options.runOnTest === true ? undefined : 'test event';
	}
	const filters = context.getNodeParameter('filters', {}) as IDataObject;
	const events = context.getNodeParameter('events', []) as string[];
	const wanted = {
		events: [...events, ...listOf(options.otherEvents)],
		dossiers: listOf(filters.dossiers),
		categories: listOf(filters.categories),
	};
	return isWanted(envelope, wanted) ? undefined : 'not wanted';
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
	const registered = leadingTo(staticData, address);
	const { scheme, refusal } = await judge(
		context,
		{ rawBody, headers, now },
		registered.map(([, { secret }]) => secret),
		options.allowUnsigned === true,
	);
	if (refusal !== undefined) {
		context.logger.warn(`Dossier Trigger refused a delivery: ${refusal}`);
		return refuse(context, 401, 'unauthorized');
	}

	const envelope = readEvent(rawBody);
	if (!envelope) {
		context.logger.warn('Dossier Trigger got a signed delivery that is no event');
		return refuse(context, 400, 'not an event');
	}
	const id = toText(headers[scheme.idHeader]);
	const marks = marksOf(id, scheme.content.startsWith('id.'), rawBody);
	// What came to the test address does not count as known at the other one.
	const place = `${context.getMode()} ${address}`;
	const sighting = sight(staticData, place, marks, now);
	const answer = toText(options.responseBody);
	const accept = (note?: string) => {
		if (!sighting.duplicate) sighting.settled();
		return reply(context, 200, answer ?? { ok: true, ...(note && { note }) });
	};
	if (sighting.duplicate) return accept('duplicate');
	// What is changed is saved as a whole, with the registration, which n8n may not have saved by itself yet.
	complete(staticData, registered);
	const why = heldBack(context, envelope, options);
	if (why !== undefined) return accept(why);

	/**
	 * Leaves the answer to n8n, which gives it once the run has begun: so that nobody sends faster than runs begin, and
	 * what n8n could not begin is sent again.
	 */
	const begin = (workflowData: INodeExecutionData[][]): IWebhookResponseData => {
		const response = context.getResponseObject();
		response.on('finish', () => {
			if (response.statusCode >= 300) sighting.failed();
		});
		if (answer !== undefined) response.type('text/plain');
		return {
			workflowData,
			// Asked for once the run has begun. What was written down before, a run has n8n forget (2.40).
			get webhookResponse() {
				sighting.settled();
				return answer ?? { ok: true };
			},
		};
	};

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

	if (!withFile) return begin([[item]]);

	const field = context.getNodeParameter('binaryPropertyName', 'data') as string;
	const whole = fileOf(context, envelope, field).then(({ binary, problem }) => {
		if (problem) item.json.download_error = problem;
		return [[{ ...item, binary }]];
	});
	const soon = await Promise.race([whole, sleep(PATIENCE)]);
	return soon ? begin(soon) : { ...accept(), workflowData: await whole };
}
