import type { IncomingHttpHeaders } from 'node:http';

/** A request that arrived whole. */
export interface Received {
	/** Its operationId in contract/openapi.yaml, or `files.get` for a file outside the service. */
	call: string;
	/** The identifier in the path; empty if it has none. */
	id: string;
	query: URLSearchParams;
	headers: IncomingHttpHeaders;
	body: Buffer;
}

/** An answer of the service. */
export interface Reply {
	status: number;
	/** Names in lower case. */
	headers: Record<string, string>;
	body: Buffer;
}

export const json = (status: number, body: unknown): Reply => ({
	status,
	headers: { 'content-type': 'application/json' },
	body: Buffer.from(JSON.stringify(body)),
});

export const refusal = (status: number, code: string, message: string): Reply =>
	json(status, { error: { code, message, status } });

const SIGN_IN_PAGE =
	'<!doctype html><html><title>Sign in</title><p>Please sign in to go on.</p></html>';
/** A web page, as a proxy gives it. */
export const page = (status: number) => ({
	status,
	headers: { 'content-type': 'text/html; charset=utf-8' },
	body: Buffer.from(SIGN_IN_PAGE),
});

/** An answer without a body. */
export const empty = (status: number, headers: Record<string, string> = {}): Reply => ({
	status,
	headers,
	body: Buffer.alloc(0),
});

export const withHeaders = (reply: Reply, headers: Record<string, string>): Reply => ({
	...reply,
	headers: { ...reply.headers, ...headers },
});

export const unavailable = (headers: Record<string, string> = {}) =>
	withHeaders(refusal(503, 'SERVICE_UNAVAILABLE', 'Back soon'), headers);
export const tooMany = (headers: Record<string, string>) =>
	withHeaders(refusal(429, 'RATE_LIMIT_EXCEEDED', 'Too many requests'), headers);
