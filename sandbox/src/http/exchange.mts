import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller, Origin } from '../accounts/caller.mts';
import type { Call } from '../operations/call.mts';
import type { FaultPlan } from '../requests/faults.mts';
import type { StoredResponse } from '../requests/idempotency.mts';
import type { JournalRecording } from '../requests/journal.mts';
import type { Quota } from '../requests/limits.mts';
import type { Service } from '../service.mts';
import type { HttpAnswer } from './response-sink.mts';
import type { Route, Routes } from './routes.mts';
import type { SignedFiles } from './signed-files.mts';

/** Reports a failure inside the sandbox or, if strict, an answer that breaks the contract. */
export type Alarm = (requestId: string, failure: unknown) => void;

/** What the pipeline works with. */
export interface PipelineParts {
	service: Service;
	routes: Routes;
	signedFiles: SignedFiles;
	/** Whether every answer is checked against the contract. One that breaks it becomes a 500, and the alarm is raised. */
	strict: boolean;
	alarm: Alarm;
}

/** One request on its way through the pipeline. Each step leaves what it found out for the steps after it. */
export interface Exchange extends PipelineParts {
	incoming: IncomingMessage;
	outgoing: ServerResponse;
	requestId: string;
	recording: JournalRecording;
	/** Nothing if no operation has this method and address. */
	route: Route | undefined;
	fault?: FaultPlan | undefined;
	caller?: Caller;
	quota?: Quota | undefined;
	call?: Call;
	/** Ends the claim on the caller's idempotency key, and keeps a response for repeats of the request. */
	commit?: ((response?: StoredResponse) => void) | undefined;
	answer?: HttpAnswer;
}

/** Whether the caller has hung up. */
export function isGone({ incoming }: Pick<Exchange, 'incoming'>): boolean {
	return incoming.socket.destroyed;
}

/** The call that `matchRoute` made. Throws a TypeError in a step before it. */
export function requireCall({ call }: Exchange): Call {
	if (call) return call;
	throw new TypeError('The request has not been matched with an operation yet.');
}

/** Where a request comes from. `time`: when it came, ISO 8601. */
export function readOrigin(
	{ socket, headers }: IncomingMessage,
	time: string,
	requestId: string,
): Origin {
	const ipAddress = socket.remoteAddress ?? null;
	return { time, ipAddress, userAgent: headers['user-agent'] ?? null, requestId };
}

/** The whole address of a request. Its host is what the caller says. */
export function readUrl({ url = '/', headers }: IncomingMessage): URL {
	const base = `http://${headers.host ?? 'localhost'}`;
	return new URL(url, URL.canParse(base) ? base : 'http://localhost');
}
