import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import { ApiError, internalError } from '../api-error.ts';
import type { ContractOperation } from '../contract/contract.ts';
import { newId } from '../ids.ts';
import type { JsonObject } from '../json.ts';
import { operations } from '../operations/index.ts';
import type { Service } from '../service.ts';
import { admit } from './access.ts';
import { Call } from './call.ts';
import type { Answer, Handler } from './call.ts';

/** Told about what must not happen: a failure inside, or (when strict) an answer that breaks the contract. */
export type Alarm = (requestId: string, failure: unknown) => void;

export type App = Hono<{ Bindings: HttpBindings }>;

/**
 * The service over HTTP, with a route for every operation of the contract that has a handler. `strict` judges every answer by the contract;
 * one that breaks it becomes a 500, and the alarm is told.
 */
export function createApp(service: Service, strict: boolean, alarm: Alarm): App {
	const app: App = new Hono();
	for (const operation of service.contract.operations) {
		const handler = operations[operation.id];
		if (!handler) continue;
		app.on(operation.method, operation.path.replaceAll(/\{(\w+)\}/g, ':$1'), async (context) => {
			const { incoming, outgoing } = context.env;
			const requestId = newId('req');
			const answer = await answerTo(
				incoming,
				operation,
				handler,
				context.req.param('id') ?? '',
				requestId,
			);
			return await send(answer, incoming, outgoing, requestId);
		});
	}
	app.all('*', async ({ env: { incoming, outgoing } }) => {
		const answer = refusal(noRoute(incoming, service));
		return await send(answer, incoming, outgoing, newId('req'));
	});
	return app;

	async function answerTo(
		incoming: IncomingMessage,
		operation: ContractOperation,
		handler: Handler,
		id: string,
		requestId: string,
	): Promise<Answer> {
		let answer: Answer;
		try {
			const holder = admit(incoming, operation, service);
			answer = await handler(new Call(service, operation, { holder, id, requestId }, incoming));
		} catch (error) {
			// Nobody is there any more to be told about a body that stopped half way.
			if (!(error instanceof ApiError) && !incoming.destroyed) alarm(requestId, error);
			answer = refusal(error instanceof ApiError ? error : internalError(requestId));
		}
		return strict ? judged(answer, operation, requestId) : answer;
	}

	function judged(answer: Answer, operation: ContractOperation, requestId: string): Answer {
		const body = 'body' in answer ? answer.body : undefined;
		const faults = service.validation.answerFaults(operation, answer.status, body);
		if (faults.length === 0) return answer;
		alarm(requestId, new Error(`An answer breaks the contract. ${faults.join(' ')}`));
		if ('file' in answer) void answer.file.close();
		return refusal(internalError(requestId));
	}
}

function noRoute(incoming: IncomingMessage, service: Service): ApiError {
	try {
		if (incoming.url?.startsWith('/v1/'))
			admit(incoming, { access: 'integration', scopes: [] }, service);
	} catch (error) {
		if (error instanceof ApiError) return error;
		throw error;
	}
	return new ApiError(
		'ROUTE_NOT_FOUND',
		'There is no such operation. Check the method and the path: it begins with /v1/, such as /v1/dossiers.',
	);
}

function refusal(error: ApiError): { status: number; body: JsonObject } {
	return { status: error.status, body: error.body() };
}

/** Writes an answer, and lets what is left of the request's body pass, so that the caller gets to read the answer. */
async function send(
	answer: Answer,
	incoming: IncomingMessage,
	outgoing: ServerResponse,
	requestId: string,
): Promise<Response> {
	outgoing.setHeader('X-Request-Id', requestId);
	if (answer.status === 401) outgoing.setHeader('WWW-Authenticate', 'Bearer');
	if ('file' in answer) {
		outgoing.writeHead(answer.status, answer.headers);
		if (incoming.method === 'HEAD') {
			outgoing.end();
			await answer.file.close();
		} else {
			// A reader that goes away is its own affair; a file that breaks off breaks the connection, never ends the answer early.
			await pipeline(answer.file.createReadStream({ highWaterMark: 256 * 1024 }), outgoing).catch(
				() => undefined,
			);
		}
	} else if ('content' in answer) {
		outgoing.writeHead(answer.status, answer.headers);
		const pieces = incoming.method === 'HEAD' ? [] : answer.content;
		await pipeline(Readable.from(pieces, { objectMode: false }), outgoing).catch(() => undefined);
	} else {
		const bytes = Buffer.from(JSON.stringify(answer.body));
		outgoing.writeHead(answer.status, {
			'Content-Type': 'application/json; charset=utf-8',
			'Content-Length': bytes.length,
		});
		outgoing.end(bytes);
	}
	if (!incoming.readableEnded) incoming.resume();
	return RESPONSE_ALREADY_SENT;
}
