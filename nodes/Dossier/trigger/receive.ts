import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { toText, toWhole } from '../api/json';
import { isObject } from '../dialect/paths';
import { checkDuplicate, fingerprintDelivery } from './deduplicate';
import { filterEvent, isTestEvent, readEvent } from './event';
import { explainError, isManual, openForm, readCollection, readFilter } from './form';
import { readKeyring } from './keyring';
import { namePlace, readOwner } from './owner';
import type { Kind } from './owner';
import { isRegistering } from './register';
import { ANSWERS, answerChallenge, answerProbe, refuse, respond } from './respond';
import type { Reply } from './respond';
import { readRegistration } from './stored';
import { verifyDelivery } from './verify';

/** After how many seconds the service may send a delivery again that is in flight. */
const RETRY_AFTER_S = 5;

const DEFAULT_LIMIT_KB = 1024;

type WebhookRequest = ReturnType<IWebhookFunctions['getRequestObject']>;

const refuseSize = (bytes: number, limit: number): Reply =>
	refuse(413, 'too large', `its body of ${bytes} bytes is larger than the ${limit} allowed`);

const refuseUnreadable = (why: string): Reply =>
	refuse(400, 'bad request', `its body cannot be read: ${why}`);

/** Rejects when the sender closes the connection: n8n's reader never ends if that happens within compressed content. */
async function failWhenClosed(request: WebhookRequest): Promise<never> {
	return await new Promise((_, reject) => {
		request.once('close', () => {
			if (!request.complete) reject(new Error('the sender closed the connection'));
		});
	});
}

function mapReadError(error: unknown, limit: number): Reply {
	const isTooLarge = isObject(error) && (error.type === 'entity.too.large' || error.status === 413);
	// n8n's reader has its own, larger limit.
	if (isTooLarge) return refuseSize(Number(error.received ?? error.length ?? limit), limit);
	return refuseUnreadable(error instanceof Error ? error.message : String(error));
}

/**
 * Reads the body as it was sent, up to a number of bytes. It refuses bodies that n8n's reader cannot decompress, and multipart
 * bodies, which n8n parses itself, so that no bytes are left to verify.
 */
async function readRawBody(request: WebhookRequest, limit: number): Promise<Buffer | Reply> {
	if (request.method !== 'POST') return Buffer.alloc(0);
	const type = toText(request.headers['content-type']) ?? '';
	if (/^\s*multipart\//i.test(type)) return refuseUnreadable('it is split into parts');
	const announced = Number(request.headers['content-length']);
	if (announced > limit) return refuseSize(announced, limit);
	if (!request.rawBody) {
		try {
			await Promise.race([request.readRawBody(), failWhenClosed(request)]);
		} catch (error) {
			return mapReadError(error, limit);
		}
	}
	const body = request.rawBody ?? Buffer.alloc(0);
	return body.length > limit ? refuseSize(body.length, limit) : body;
}

/** Reads from the form and from n8n which trigger got a request. */
function readReceiver(context: IWebhookFunctions) {
	const owner = readOwner(context);
	// n8n gives a delivery to the test address the mode of a manual execution.
	const kind: Kind = context.getMode() === 'manual' ? 'test' : 'production';
	const form = openForm(context);
	const registration = readRegistration(context.getWorkflowStaticData('node'), owner, kind);
	return {
		context,
		owner,
		place: namePlace(owner, kind),
		sealed: registration?.sealed,
		isRegistered: registration !== undefined,
		isManual: isManual(form),
		options: readCollection(form, 'options'),
		filter: readFilter(form),
		headers: context.getHeaderData() as IDataObject,
		url: context.getNodeWebhookUrl('default'),
	};
}

/** Reads a request and verifies its signature, before any of its content is used. */
async function receive(context: IWebhookFunctions, now: number) {
	const receiver = readReceiver(context);
	const { options, headers, url, place, isRegistered, isManual } = receiver;
	const request = context.getRequestObject();
	const limit = (Number(options.largestBody) || DEFAULT_LIMIT_KB) * 1024;
	const rawBody = await readRawBody(request, limit);
	if (!Buffer.isBuffer(rawBody)) return rawBody;

	const query = context.getQueryData() as IDataObject;
	const asked = { method: request.method, query, headers, rawBody };
	if (request.method !== 'POST') return answerProbe(asked);

	const { secrets, scheme, translator } = await readKeyring(receiver, now);
	const verdict = verifyDelivery({ rawBody, url, headers, secrets, scheme, now });
	const isIdSigned = verdict.ok && scheme.content.includes('{id}');
	const id = verdict.ok ? verdict.id : toText(headers[scheme.idHeader]);
	const isAllowed = verdict.ok || (options.allowUnsigned === true && !secrets.length);
	// The service cannot sign before it has the address. If the secret was entered by hand, the service has the address already.
	const isNew = isRegistering(place) || !(isManual || isRegistered);
	const challenge = isAllowed || isNew ? answerChallenge(asked) : undefined;
	if (challenge) return challenge;
	if (isAllowed) return { ...receiver, translator, rawBody, id, isIdSigned };
	// Some services call the address during the registration, and sign with a secret that only their answer shows.
	if (isRegistering(place) && isTestEvent(rawBody)) return ANSWERS;
	return refuse(401, 'unauthorized', verdict.reason);
}

/** For any error before the signature is verified. If it were thrown, n8n would store a failed execution. */
const refuseUnverified = (error: unknown) =>
	refuse(401, 'unauthorized', `it could not be verified: ${explainError(error).message}`);

/**
 * Handles a request to the address of a trigger: verifies, reads, filters and deduplicates a delivery, and begins a run.
 * A forged one gets 4xx without a reason, one line in n8n's log has the reason, and there is no execution. n8n answers a
 * genuine one, after it has stored the run (n8n 2) or right before (n8n 1).
 */
export async function handleDelivery(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const now = Date.now();
	const received = await receive(context, now).catch(refuseUnverified);
	if ('status' in received) return respond(context, received);

	const { options, filter, translator, rawBody, headers, place, id, isIdSigned } = received;
	const read = readEvent(rawBody, translator, toText(headers['content-type']));
	if ('refusal' in read) return respond(context, read.refusal);

	const answer = toText(options.responseBody);
	const accept = (note: string) =>
		respond(context, { status: 200, body: answer ?? { ok: true, note } });
	const { sent, event } = read;
	const why = filterEvent(event, filter, translator);
	if (why !== undefined) return accept(why);

	const key = fingerprintDelivery(place, isIdSigned ? id : undefined, rawBody);
	const response = context.getResponseObject();
	const state = checkDuplicate(key, response, now);
	if (state === 'done') return accept('duplicate');
	if (state === 'in flight') {
		const retryLater = { 'Retry-After': String(RETRY_AFTER_S) };
		return respond(context, { status: 503, body: { error: 'in flight' }, headers: retryLater });
	}
	const json = {
		...(options.rawRecords === true ? sent : event),
		...(options.includeHeaders === true && { headers }),
		delivery: {
			id: id ?? null,
			key,
			received_at: new Date(now).toISOString(),
			attempt: toWhole(headers['x-webhook-attempt']) ?? null,
		},
	};
	if (answer !== undefined) response.type('text/plain');
	return { workflowData: [[{ json }]], webhookResponse: answer ?? { ok: true } };
}
