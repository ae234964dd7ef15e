import type {
	IDataObject,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { toText } from '../api/values';
import { isObject } from '../dialect/paths';
import { splitList } from '../execution/parameters';
import { explain } from '../execution/problems/explain';
import { collectForms } from '../execution/problems/labels';
import { authenticate } from './authenticate';
import type { Genuine, Receiver } from './authenticate';
import { answerChallenge, suggestChallenge } from './challenge';
import type { ChallengeAnswer } from './challenge';
import { checkDuplicate, fingerprintDelivery, isSharedId } from './deduplicate';
import { describeBody, filterEvent, readEvent } from './event';
import type { Filter } from './event';
import { triggerForm } from './form';
import { readKeyring } from './keyring';
import { namePlace, nameTrigger, readOwner } from './owner';
import type { Kind, Owner } from './owner';
import { readRawBody } from './receive';
import type { Refusal } from './receive';
import { readRegistration } from './registrations';

/** After how many seconds the service may send a delivery again that is in flight. */
const RETRY_AFTER_S = 5;

const DEFAULT_LIMIT_KB = 1024;

/** A delivery whose signature is genuine. */
interface Received extends Genuine {
	owner: Owner;
	/** Of the form. */
	options: IDataObject;
	rawBody: Buffer;
	headers: IDataObject;
}

/** n8n gives a delivery to the test address the mode of a manual execution. */
const readKind = (context: IWebhookFunctions): Kind =>
	context.getMode() === 'manual' ? 'test' : 'production';

/** Answers the sender at once. n8n itself would always answer 200. */
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

function readReceiver(context: IWebhookFunctions, options: IDataObject): Receiver {
	const owner = readOwner(context);
	const registration = readRegistration(
		context.getWorkflowStaticData('node'),
		owner,
		readKind(context),
	);
	return {
		context,
		owner,
		registration,
		sealed: registration?.sealed,
		isManual: context.getNodeParameter('registration', 'automatic') === 'manual',
		allowUnsigned: options.allowUnsigned === true,
		warn: (message) => context.logger.warn(`${nameTrigger(context)} ${message}`),
	};
}

/** Reads a delivery and verifies it, before any of its content is used. */
async function receive(
	context: IWebhookFunctions,
	now: number,
): Promise<Received | ChallengeAnswer | Refusal> {
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const limit = (Number(options.largestBody) || DEFAULT_LIMIT_KB) * 1024;
	const request = context.getRequestObject();
	const hasBody = request.method === 'POST';
	const rawBody = hasBody ? await readRawBody(request, limit) : Buffer.alloc(0);
	if (!Buffer.isBuffer(rawBody)) return rawBody;
	const headers = context.getHeaderData() as IDataObject;
	const query = context.getQueryData() as IDataObject;
	const receiver = readReceiver(context, options);
	const keyring = await readKeyring(receiver, now);
	const asked = { method: request.method, query, headers, rawBody };
	const { challenge } = keyring.translator.dialect.registration ?? {};
	const answered = answerChallenge(challenge, asked);
	if (answered) return answered;
	if (!hasBody) {
		// Some services, and people, look whether the address answers before they enter it.
		if (!Object.keys(query).length) return { answer: { ok: true }, headers: {} };
		const reason = `it is neither an event nor a challenge${suggestChallenge(asked)}`;
		return { status: 404, error: 'not found', reason };
	}
	const judgement = await authenticate(receiver, keyring, { rawBody, headers, now });
	const { owner } = receiver;
	if (judgement.genuine) return { ...judgement, owner, options, rawBody, headers };
	const reason = judgement.reason + (challenge ? '' : suggestChallenge(asked));
	return { status: 401, error: 'unauthorized', reason };
}

/** The refusal for any error before the signature is verified. If the error were thrown, n8n would store a failed execution. */
function refuseBroken(error: unknown): Refusal {
	const { message } = explain(error, collectForms(triggerForm));
	return { status: 401, error: 'unauthorized', reason: `it could not be verified: ${message}` };
}

function readFilter(context: IWebhookFunctions, options: IDataObject): Filter {
	const filters = context.getNodeParameter('filters', {}) as IDataObject;
	return {
		events: context.getNodeParameter('events', []) as string[],
		otherEvents: splitList(options.otherEvents),
		dossiers: splitList(filters.dossiers),
		categories: splitList(filters.categories),
		runOnTest: options.runOnTest === true,
	};
}

/**
 * Handles a delivery: verifies, reads, filters and deduplicates it, and begins a run. A forged one gets 4xx without a
 * reason, one line in n8n's log has the reason, and there is no execution. n8n answers a genuine one, after it has stored
 * the run (n8n 2) or right before (n8n 1).
 */
export async function handleDelivery(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const now = Date.now();
	const warn = (message: string) => context.logger.warn(`${nameTrigger(context)} ${message}`);
	const received = await receive(context, now).catch(refuseBroken);
	if ('reason' in received) {
		warn(`refused a delivery: ${received.reason}`);
		return reply(context, received.status, { error: received.error });
	}
	if ('answer' in received) {
		const response = context.getResponseObject().set('X-Content-Type-Options', 'nosniff');
		response.set(received.headers);
		return reply(context, 200, received.answer);
	}

	const { owner, options, rawBody, headers, scheme, translator } = received;
	const sent = readEvent(rawBody);
	if (!sent) {
		const form = describeBody(rawBody, toText(headers['content-type']));
		warn(`refused a delivery: it is signed, but its body is not an event: ${form}`);
		return reply(context, 400, { error: 'not an event' });
	}

	const data = isObject(sent.data) ? translator.readPayload(sent.event, sent.data) : sent.data;
	const envelope = { ...sent, data };
	const answer = toText(options.responseBody);
	const accept = (note: string) => reply(context, 200, answer ?? { ok: true, note });
	const why = filterEvent(envelope, readFilter(context, options));
	if (why !== undefined) return accept(why);

	const place = namePlace(owner, readKind(context));
	const { id, isIdSigned } = received;
	const fingerprint = fingerprintDelivery(place, isIdSigned ? id : undefined, rawBody);
	if (id !== undefined && !isIdSigned && isSharedId(place, id, fingerprint)) {
		warn(
			`got two different deliveries with the same ${scheme.idHeader}, so it tells them apart by their content alone`,
		);
	}
	const response = context.getResponseObject();
	const state = checkDuplicate(place, fingerprint, response, now);
	if (state === 'done') return accept('duplicate');
	if (state === 'in flight') {
		response.set('Retry-After', String(RETRY_AFTER_S));
		return reply(context, 503, { error: 'in flight' });
	}
	const item = createItem(received, options.rawData === true ? sent : envelope, fingerprint, now);
	if (options.includeHeaders === true) item.json.headers = headers;
	if (answer !== undefined) response.type('text/plain');
	return { workflowData: [[item]], webhookResponse: answer ?? { ok: true } };
}

/** The item that the workflow begins with: the event, and which delivery brought it. */
function createItem(
	{ id, headers }: Received,
	envelope: IDataObject,
	key: string,
	now: number,
): INodeExecutionData {
	const attempt = Number(headers['x-webhook-attempt'] ?? NaN);
	return {
		json: {
			...envelope,
			delivery: {
				id: id ?? null,
				key,
				received_at: new Date(now).toISOString(),
				attempt: Number.isInteger(attempt) ? attempt : null,
			},
		},
	};
}
