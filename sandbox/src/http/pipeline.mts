import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ContractOperation } from '../contract/contract.mts';
import { ServiceError } from '../contract/service-error.mts';
import { Call } from '../operations/call.mts';
import { newId } from '../platform/ids.mts';
import { isObject } from '../platform/json.mts';
import { assertQuota } from '../requests/limits.mts';
import type { Service } from '../service.mts';
import { applySwitches } from './apply-switches.mts';
import { toHttpAnswer } from './response-sink.mts';
import type { HttpAnswer } from './response-sink.mts';
import { authorize, readAccessRule } from './authorize.mts';
import { watchBody } from './body.mts';
import { internalError, toErrorAnswer } from './error-answer.mts';
import { isGone, readOrigin, requireCall } from './exchange.mts';
import type { Exchange, PipelineParts } from './exchange.mts';
import { formatContractHeaders, formatCorsHeaders, formatPreflightHeaders } from './headers.mts';
import { injectFault } from './inject-fault.mts';
import { readInput, readKeyedRequest } from './input.mts';
import { routeNotFound } from './routes.mts';
import { send } from './send.mts';

type RequestStep = (exchange: Exchange) => void | Promise<void>;
type AnswerStep = (answer: HttpAnswer, exchange: Exchange) => HttpAnswer | Promise<HttpAnswer>;

/** The steps before the operation, in the order of A-21. A step that throws a refusal or sets the answer is the last one. */
const requestSteps: RequestStep[] = [
	answerPreflight,
	refuseForeignPage,
	authorizeCaller,
	countQuota,
	matchRoute,
	readCallInput,
	replayResponse,
];

/** The steps between the operation and sending its answer. */
const answerSteps: AnswerStep[] = [addContractHeaders, checkContract, applySwitches];

/**
 * Takes every request of the service from the first check to the last byte of its answer: record, inject a fault, the request steps,
 * the answer steps, send. An answer that a fault gives skips the steps.
 */
export class Pipeline {
	readonly #parts: PipelineParts;

	constructor(parts: PipelineParts) {
		this.#parts = parts;
	}

	async answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
		const exchange = beginExchange(this.#parts, incoming, outgoing);
		try {
			const injected = await injectFault(exchange);
			if (injected === 'dropped') return;
			const answer = injected ?? (await runSteps(exchange));
			if (!answer) return;
			Object.assign(
				answer.headers,
				formatCorsHeaders(incoming.headers, exchange.service.options.corsOrigins, answer.headers),
			);
			await send(answer, { ...exchange, clock: exchange.service.clock });
		} catch (error) {
			exchange.alarm(exchange.requestId, error);
			outgoing.destroy();
		} finally {
			exchange.recording.end();
		}
	}
}

/** Begins the journal's entry. */
function beginExchange(
	parts: PipelineParts,
	incoming: IncomingMessage,
	outgoing: ServerResponse,
): Exchange {
	const requestId = newId('req');
	const { routes, service } = parts;
	const route = routes.find(incoming.method ?? '', incoming.url ?? '');
	const recording = service.journal.open(incoming, requestId, route?.operation.id);
	watchBody(incoming, (bytes) => recording.request.take(bytes));
	return { ...parts, incoming, outgoing, requestId, recording, route };
}

/** Gives nothing if the caller hangs up before the operation begins. */
async function runSteps(exchange: Exchange): Promise<HttpAnswer | undefined> {
	let answer = await findAnswer(exchange);
	if (!answer) return undefined;
	for (const step of answerSteps) {
		try {
			answer = await step(answer, exchange);
		} catch (error) {
			await answer.file?.close();
			answer = toFailureAnswer(exchange, error);
		}
	}
	return answer;
}

async function findAnswer(exchange: Exchange): Promise<HttpAnswer | undefined> {
	try {
		const isReady = await prepareCall(exchange);
		if (isReady) await handleCall(exchange);
		return exchange.answer;
	} catch (error) {
		if (error instanceof ServiceError) return toErrorAnswer(error);
		return toFailureAnswer(exchange, error);
	} finally {
		exchange.commit?.();
		await exchange.call?.discardUpload();
	}
}

/** Runs the request steps. Gives whether the operation is to run: no step has answered, and the caller still waits. */
async function prepareCall(exchange: Exchange): Promise<boolean> {
	try {
		for (const step of requestSteps) {
			await step(exchange);
			if (exchange.answer) return false;
		}
	} catch (error) {
		// A body that ends early fails in many ways.
		if (!isGone(exchange)) throw error;
	}
	return !isGone(exchange);
}

/** Lets pages of other origins use the service, as custom front ends of the portal do. */
function answerPreflight(exchange: Exchange): void {
	const { method, headers } = exchange.incoming;
	const allowed = method === 'OPTIONS' ? formatPreflightHeaders(headers) : undefined;
	if (allowed) exchange.answer = { status: 204, headers: allowed };
}

/** Throws 403 `FORBIDDEN` if a page of another origin registers or changes a webhook: it could have this machine call itself. */
function refuseForeignPage({ incoming, route, service }: Exchange): void {
	const { method, headers } = incoming;
	const isOwn = headers.origin === undefined || headers.origin === new URL(service.url).origin;
	if (isOwn || method === 'GET' || !route?.operation.id.startsWith('webhooks.')) return;
	throw new ServiceError(
		'FORBIDDEN',
		'A page of another origin cannot register or change webhooks. Do it on the page of the sandbox.',
	);
}

function authorizeCaller(exchange: Exchange): void {
	const { incoming, route, recording, service } = exchange;
	exchange.caller = authorize(
		incoming,
		route?.operation ?? readAccessRule(incoming.url ?? ''),
		service,
	);
	recording.caller = exchange.caller;
}

function countQuota(exchange: Exchange): void {
	const { caller, service } = exchange;
	if (caller?.kind !== 'key' && caller?.kind !== 'customer') return;
	exchange.quota = service.limits.take(caller.organizationId, caller.plan);
	if (exchange.quota) assertQuota(exchange.quota);
}

function matchRoute(exchange: Exchange): void {
	const { incoming, route, caller, requestId, service } = exchange;
	if (!route || !caller || !isOffered(route.operation, service)) {
		throw routeNotFound(incoming.url ?? '');
	}
	const { operation, handler } = route;
	const id = service.ids.resolve(route.id);
	const origin = readOrigin(incoming, service.clock.iso(), requestId);
	const isHead = incoming.method === 'HEAD';
	exchange.call = new Call({ service, operation, handler, caller, id, origin, isHead });
}

async function readCallInput(exchange: Exchange): Promise<void> {
	await readInput(requireCall(exchange), exchange.incoming);
}

/** Answers with the stored response if the same request came before under its `Idempotency-Key`. */
async function replayResponse(exchange: Exchange): Promise<void> {
	const { incoming, service } = exchange;
	const call = requireCall(exchange);
	const request = readKeyedRequest(call, incoming);
	if (!request) return;
	const begun = await service.idempotency.begin(request);
	if (typeof begun === 'function') exchange.commit = begun;
	else exchange.answer = toHttpAnswer(begun);
}

async function handleCall(exchange: Exchange): Promise<void> {
	const call = requireCall(exchange);
	const answer = await call.handler.handle(call);
	exchange.answer = toHttpAnswer(answer);
	exchange.commit?.('body' in answer ? answer : undefined);
	exchange.commit = undefined;
}

function addContractHeaders(answer: HttpAnswer, { requestId, quota }: Exchange): HttpAnswer {
	return { ...answer, headers: { ...answer.headers, ...formatContractHeaders(requestId, quota) } };
}

/** Turns an answer that breaks the contract into a 500, if strict. */
async function checkContract(answer: HttpAnswer, exchange: Exchange): Promise<HttpAnswer> {
	const { strict, route, service, requestId, alarm } = exchange;
	// A service without registration of webhooks is another one than the contract's.
	if (!strict || !route || !isOffered(route.operation, service)) return answer;
	const { status, json, headers } = answer;
	const body = isObject(json) ? json : undefined;
	const errors = [
		...service.validation.findResponseErrors(route.operation, status, body),
		...service.validation.findHeaderErrors(route.operation, status, headers),
	];
	if (errors.length === 0) return answer;
	alarm(requestId, new Error(`An answer breaks the contract. ${errors.join(' ')}`));
	await answer.file?.close();
	return addContractHeaders(toErrorAnswer(internalError(requestId)), exchange);
}

function toFailureAnswer({ requestId, alarm }: Exchange, failure: unknown): HttpAnswer {
	alarm(requestId, failure);
	return toErrorAnswer(internalError(requestId, failure));
}

function isOffered({ id }: ContractOperation, { switches }: Service): boolean {
	return switches.registration === 'offered' || !id.startsWith('webhooks.');
}
