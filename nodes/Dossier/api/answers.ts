import type { IDataObject, IN8nHttpFullResponse } from 'n8n-workflow';
import { mapConnectionError } from './failures';
import { Problem } from './problem';
import { isRecord, toText } from './values';

type Readable = import('stream').Readable;

/** What the service answered. */
export interface Answer {
	status: number;
	/** Names in lower case. */
	headers: IDataObject;
	/** Parsed JSON: an object or a list; `undefined` if the answer has no body. */
	body: IDataObject | IDataObject[] | undefined;
}

/** An answer whose body has not been read. */
export interface StreamAnswer {
	headers: IDataObject;
	stream: Readable;
}

/** Reads an answer's body before the connection is let go. */
export type BodyReader<Result> = (answer: StreamAnswer) => Promise<Result>;

/** How much of a refusal's body is read for its explanation, in bytes. */
const EXPLANATION_LIMIT = 65_536;

/** The whole of a stream, or as much of it as the limit allows. */
export async function readBytes(stream: Readable, limit = Infinity): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of stream as AsyncIterable<Buffer>) {
		chunks.push(chunk);
		size += chunk.length;
		if (size > limit) break;
	}
	return Buffer.concat(chunks);
}

/** The beginning of a body, as text. */
export const readText = async (stream: Readable) =>
	(await readBytes(stream, EXPLANATION_LIMIT)).toString('utf8');

/** Throws a Problem for an answer that sends the call elsewhere: the key stays here. */
export function refuseRedirect(status: number, headers: IDataObject, host: string): void {
	if (status < 300 || status > 399) return;
	const target = toText(headers.location)?.split('?')[0];
	throw new Problem('REDIRECTED', { host, target, status });
}

/** The address that an answer redirects to; `undefined` if it does not, or not to a web address. */
export function readRedirect(
	{ statusCode, headers }: IN8nHttpFullResponse,
	root: string,
): string | undefined {
	const location = toText(headers.location);
	if (statusCode < 300 || statusCode > 399 || !location || !URL.canParse(location, root)) return;
	const { protocol, href } = new URL(location, root);
	return ['http:', 'https:'].includes(protocol) ? href : undefined;
}

/** Hands an answer's body on, and explains a body that breaks off. */
export async function readBody<Result>(
	read: BodyReader<Result>,
	answer: StreamAnswer,
	host: string,
): Promise<Result> {
	return await read(answer).catch((error: unknown) => {
		throw mapConnectionError(error, host, 'GET');
	});
}

/** A record without the envelope that some services put around it. */
export function unwrap(body: Answer['body']): IDataObject {
	if (!isRecord(body)) return {};
	return isRecord(body.data) && body.id === undefined ? body.data : body;
}
