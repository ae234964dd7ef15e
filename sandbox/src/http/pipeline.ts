import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { answerShown } from './variants/answers.ts';
import { downloadShown } from './variants/downloads.ts';
import { ApiError, internalError } from '../contract/api-error.ts';
import type { ContractOperation } from '../contract/contract.ts';
import { newId } from '../platform/ids.ts';
import { isObject } from '../platform/json.ts';
import type { Recording } from '../requests/journal.ts';
import type { Service } from '../service.ts';
import { admit } from './authorize.ts';
import type { Demand } from './authorize.ts';
import { watchBody } from './body.ts';
import { Call } from '../operations/call.ts';
import type { Handler, Headers } from '../operations/call.ts';
import { faultAnswer } from './fault-answer.ts';
import { noRoute } from './no-route.ts';
import { outcomeOf, refusalOf } from './response.ts';
import type { Outcome } from './response.ts';
import { demandQuota, quotaHeaders } from './quota.ts';
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
interface Visit {
	incoming: IncomingMessage;
	requestId: string;
	recording: Recording;
	route: Route | undefined;
	/** Once it is admitted. */
	call?: Call;
}

export interface Judging {
	/** Whether every answer is judged by the contract: one that breaks it becomes a 500, and the alarm is told. */
	strict: boolean;
	alarm: Alarm;
}

/** Takes every request of the service from its first check to the last byte of its answer. */
export class FrontDoor {
	readonly #service: Service;
	readonly #signed: SignedFiles;
	readonly #judging: Judging;

	constructor(service: Service, signed: SignedFiles, judging: Judging) {
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
		const fault = faults.hit(operation);
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
	async #outcome(visit: Visit): Promise<Outcome> {
		const outcome = await this.#contractAnswer(visit);
		try {
			return await this.#shown(outcome, visit);
		} catch (error) {
			await outcome.file?.close();
			return this.#failure(visit, error);
		}
	}

	async #shown(given: Outcome, visit: Visit): Promise<Outcome> {
		const { incoming, requestId, route, call } = visit;
		const { switches, ids, clock, documents } = this.#service;
		let outcome = given;
		if (call && outcome.file && switches.downloadAnswer !== 'bytes') {
			const document = documents.find(call.dataset, call.id);
			const address = () =>
				this.#signed.addressOf(call.dataset, call.id, addressOf(incoming).hostname);
			outcome = await downloadShown(outcome, document, address, switches);
		}
		const address = () => addressOf(incoming);
		const operation = route?.operation;
		return answerShown(outcome, {
			switches,
			ids,
			now: clock.now(),
			address,
			requestId,
			operation,
		});
	}

	/** The answer as the contract has it, with its headers. */
	async #contractAnswer(visit: Visit): Promise<Outcome> {
		const { requestId, route } = visit;
		const headers: Headers = { 'X-Request-Id': requestId };
		let outcome: Outcome;
		try {
			outcome = await this.#handled(visit, headers);
		} catch (error) {
			outcome = error instanceof ApiError ? refusalOf(error) : this.#failure(visit, error);
		}
		Object.assign(outcome.headers, headers);
		return route ? await this.#judged(outcome, route.operation, requestId) : outcome;
	}

	/** The answer to a failure inside. */
	#failure({ incoming, requestId }: Visit, failure: unknown): Outcome {
		// Nobody is there any more to be told about a body that stopped half way.
		if (!incoming.destroyed) this.#judging.alarm(requestId, failure);
		return refusalOf(internalError(requestId, failure));
	}

	/** Checks in the order of A-21, and lets the operation do its work. What was learnt for the headers is put into them. */
	async #handled(visit: Visit, headers: Headers): Promise<Outcome> {
		const { incoming, route, recording, requestId } = visit;
		const { limits } = this.#service;
		const url = incoming.url ?? '';
		const holder = admit(incoming, route?.operation ?? demandOf(url), this.#service);
		recording.holder = holder;
		if (holder.kind === 'key' || holder.kind === 'customer') {
			const quota = limits.take(holder.organizationId, holder.plan);
			if (quota) {
				Object.assign(headers, quotaHeaders(quota));
				demandQuota(quota);
			}
		}
		if (!route || !this.#isOffered(route.operation)) throw noRoute(url);
		const { operation, id } = route;
		visit.call = new Call(this.#service, operation, { holder, id, requestId }, incoming);
		return outcomeOf(await visit.call.answer(route.handler));
	}

	#isOffered({ id }: ContractOperation): boolean {
		return this.#service.switches.webhookRegistration === 'on' || !id.startsWith('webhooks.');
	}

	async #judged(
		outcome: Outcome,
		operation: ContractOperation,
		requestId: string,
	): Promise<Outcome> {
		if (!this.#judging.strict) return outcome;
		// A service without registration of webhooks is another one than the contract's.
		if (!this.#isOffered(operation)) return outcome;
		const { validation } = this.#service;
		const { status, json, headers } = outcome;
		const faults = [
			...validation.answerFaults(operation, status, isObject(json) ? json : undefined),
			...validation.headerFaults(operation, status, headers),
		];
		if (faults.length === 0) return outcome;
		const failure = new Error(`An answer breaks the contract. ${faults.join(' ')}`);
		this.#judging.alarm(requestId, failure);
		await outcome.file?.close();
		const refusal = refusalOf(internalError(requestId));
		refusal.headers['X-Request-Id'] = requestId;
		return refusal;
	}
}

/** What an address that stands for no operation asks of its caller. */
function demandOf(url: string): Demand {
	return { access: url.startsWith('/v1/') ? 'integration' : 'public', scopes: [] };
}

/** What was asked for, in full; the host is the caller's word for it. */
function addressOf({ url = '/', headers }: IncomingMessage): URL {
	const base = `http://${headers.host ?? 'localhost'}`;
	return new URL(url, URL.canParse(base) ? base : 'http://localhost');
}
