import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { applyVariants } from './variants/answers.ts';
import { applyDownloadVariant } from './variants/downloads.ts';
import { ServiceError, internalError } from '../contract/service-error.ts';
import type { ContractOperation } from '../contract/contract.ts';
import { newId } from '../platform/ids.ts';
import { isObject } from '../platform/json.ts';
import type { JournalRecording } from '../requests/journal.ts';
import type { Service } from '../service.ts';
import { authorize } from './authorize.ts';
import type { AccessRule } from './authorize.ts';
import { watchBody } from './body.ts';
import { Call } from '../operations/call.ts';
import type { Handler, Headers } from '../operations/call.ts';
import { faultAnswer } from './fault-answer.ts';
import { routeNotFound } from './no-route.ts';
import { toHttpAnswer, toErrorAnswer } from './response.ts';
import type { HttpAnswer } from './response.ts';
import { assertQuota, formatQuota } from './quota.ts';
import { send } from './send.ts';
import type { SignedFiles } from './signed-files.ts';

/** Told about what must not happen: a failure inside, or (when strict) an answer that breaks the contract. */
export type Alarm = (requestId: string, failure: unknown) => void;

/** What an address stands for: an operation of the contract with its handler, and the identifier in the path, decoded. */
export interface Route {
	operation: ContractOperation;
	handler: Handler;
	id: string;
}

/** One request while it is answered. */
interface Exchange {
	incoming: IncomingMessage;
	requestId: string;
	recording: JournalRecording;
	route: Route | undefined;
	/** Once it is admitted. */
	call?: Call;
}

export interface CheckOptions {
	/** Whether every answer is judged by the contract: one that breaks it becomes a 500, and the alarm is told. */
	strict: boolean;
	alarm: Alarm;
}

/** Takes every request of the service from its first check to the last byte of its answer. */
export class Pipeline {
	readonly #service: Service;
	readonly #signed: SignedFiles;
	readonly #judging: CheckOptions;

	constructor(service: Service, signed: SignedFiles, judging: CheckOptions) {
		this.#service = service;
		this.#signed = signed;
		this.#judging = judging;
	}

	/** Answers a request; where its address stands for nothing, it is a 404. */
	async answer({ incoming, outgoing }: HttpBindings, route?: Route): Promise<void> {
		const { journal, faults, clock } = this.#service;
		const operation = route?.operation.id;
		const requestId = newId('req');
		const recording = journal.open(incoming, requestId, operation);
		watchBody(incoming, (bytes) => recording.request.take(bytes));
		const fault = faults.select(operation);
		recording.fault = fault !== undefined;
		try {
			if (fault?.delay_ms !== undefined) {
				const gone = new AbortController();
				outgoing.once('close', () => gone.abort());
				await clock.wait(fault.delay_ms, gone.signal);
			}
			if (fault?.connection === 'before') {
				incoming.destroy();
				return;
			}
			const outcome =
				faultAnswer(fault) ?? (await this.#outcome({ incoming, requestId, recording, route }));
			if (this.#service.switches.requestId === 'header') {
				outcome.headers['X-Request-Id'] = requestId;
			}
			await send(outcome, { incoming, outgoing, recording, clock, fault });
		} finally {
			journal.close(recording);
		}
	}

	/** The answer in the words that the switches ask for. */
	async #outcome(visit: Exchange): Promise<HttpAnswer> {
		const outcome = await this.#contractAnswer(visit);
		try {
			return await this.#shown(outcome, visit);
		} catch (error) {
			await outcome.file?.close();
			return this.#failure(visit, error);
		}
	}

	async #shown(given: HttpAnswer, visit: Exchange): Promise<HttpAnswer> {
		const { incoming, requestId, route, call } = visit;
		const { switches, ids, clock, documents } = this.#service;
		let outcome = given;
		if (call && outcome.file && switches.downloadAnswer !== 'bytes') {
			const document = documents.find(call.dataset, call.id);
			const address = () =>
				this.#signed.addressOf(call.dataset, call.id, addressOf(incoming).hostname);
			outcome = await applyDownloadVariant(outcome, document, address, switches);
		}
		const address = () => addressOf(incoming);
		const operation = route?.operation;
		return applyVariants(outcome, {
			switches,
			ids,
			now: clock.now(),
			address,
			requestId,
			operation,
		});
	}

	/** The answer as the contract has it, with its headers. */
	async #contractAnswer(visit: Exchange): Promise<HttpAnswer> {
		const { requestId, route } = visit;
		const headers: Headers = { 'X-Request-Id': requestId };
		let outcome: HttpAnswer;
		try {
			outcome = await this.#handled(visit, headers);
		} catch (error) {
			outcome = error instanceof ServiceError ? toErrorAnswer(error) : this.#failure(visit, error);
		}
		Object.assign(outcome.headers, headers);
		return route ? await this.#judged(outcome, route.operation, requestId) : outcome;
	}

	/** The answer to a failure inside. */
	#failure({ incoming, requestId }: Exchange, failure: unknown): HttpAnswer {
		// Nobody is there any more to be told about a body that stopped half way.
		if (!incoming.destroyed) this.#judging.alarm(requestId, failure);
		return toErrorAnswer(internalError(requestId, failure));
	}

	/** Checks in the order of A-21, and lets the operation do its work. What was learnt for the headers is put into them. */
	async #handled(visit: Exchange, headers: Headers): Promise<HttpAnswer> {
		const { incoming, route, recording, requestId } = visit;
		const { limits } = this.#service;
		const url = incoming.url ?? '';
		const caller = authorize(incoming, route?.operation ?? demandOf(url), this.#service);
		recording.caller = caller;
		if (caller.kind === 'key' || caller.kind === 'customer') {
			const quota = limits.take(caller.organizationId, caller.plan);
			if (quota) {
				Object.assign(headers, formatQuota(quota));
				assertQuota(quota);
			}
		}
		if (!route || !this.#isOffered(route.operation)) throw routeNotFound(url);
		const { operation, id } = route;
		visit.call = new Call(this.#service, operation, { caller, id, requestId }, incoming);
		return toHttpAnswer(await visit.call.answer(route.handler));
	}

	#isOffered({ id }: ContractOperation): boolean {
		return this.#service.switches.webhookRegistration === 'on' || !id.startsWith('webhooks.');
	}

	async #judged(
		outcome: HttpAnswer,
		operation: ContractOperation,
		requestId: string,
	): Promise<HttpAnswer> {
		if (!this.#judging.strict) return outcome;
		// A service without registration of webhooks is another one than the contract's.
		if (!this.#isOffered(operation)) return outcome;
		const { validation } = this.#service;
		const { status, json, headers } = outcome;
		const faults = [
			...validation.findResponseErrors(operation, status, isObject(json) ? json : undefined),
			...validation.findHeaderErrors(operation, status, headers),
		];
		if (faults.length === 0) return outcome;
		const failure = new Error(`An answer breaks the contract. ${faults.join(' ')}`);
		this.#judging.alarm(requestId, failure);
		await outcome.file?.close();
		const refusal = toErrorAnswer(internalError(requestId));
		refusal.headers['X-Request-Id'] = requestId;
		return refusal;
	}
}

/** What an address that stands for no operation asks of its caller. */
function demandOf(url: string): AccessRule {
	return { access: url.startsWith('/v1/') ? 'integration' : 'public', scopes: [] };
}

/** What was asked for, in full; the host is the caller's word for it. */
function addressOf({ url = '/', headers }: IncomingMessage): URL {
	const base = `http://${headers.host ?? 'localhost'}`;
	return new URL(url, URL.canParse(base) ? base : 'http://localhost');
}
