import type { IDataObject } from 'n8n-workflow';
import type { Exchange } from './exchange';
import { isProblem, Problem } from './problem';
import { toText } from './values';

/** What the service answered. */
export interface Answer {
	status: number;
	/** Names in lower case. */
	headers: IDataObject;
	/** Parsed JSON: an object or a list; `undefined` if the answer has no body. */
	body: IDataObject | IDataObject[] | undefined;
}

/** How much of the body of a refusal is read, in bytes. */
const EXPLANATION_LIMIT = 65_536;

/** The largest answer that is held in memory, in bytes. */
const ANSWER_LIMIT = 256 * 1024 ** 2;

/**
 * Reads a whole body into memory.
 *
 * @throws Problem if the body breaks off or is too large
 */
export async function readBytes(body: AsyncIterable<Uint8Array>, host: string): Promise<Buffer> {
	const pieces: Uint8Array[] = [];
	let size = 0;
	for await (const piece of body) {
		size += piece.length;
		if (size > ANSWER_LIMIT) throw new Problem('ANSWER_TOO_LARGE', { host, limit: ANSWER_LIMIT });
		pieces.push(piece);
	}
	return Buffer.concat(pieces);
}

/** Lets an explanation break off: the status says more about a refusal than the rest of its body. */
function forgive(error: unknown): void {
	if (isProblem(error, 'CANCELLED')) throw error;
}

/**
 * Reads the beginning of a body that explains a refusal, or that is not needed; if the body breaks off, what arrived.
 * The connection can be reused once the body is read.
 */
export async function readExplanation({ pieces }: Pick<Exchange, 'pieces'>): Promise<string> {
	const read: Uint8Array[] = [];
	let size = 0;
	try {
		for await (const piece of pieces()) {
			read.push(piece);
			size += piece.length;
			if (size > EXPLANATION_LIMIT) break;
		}
	} catch (error) {
		forgive(error);
	}
	return Buffer.concat(read).toString('utf8');
}

/** The address that an answer redirects to (RFC 9110, 10.2.2); `undefined` if it does not, or not to a web address. */
export function readRedirect({ status, headers, url }: Exchange): string | undefined {
	const location = toText(headers.location);
	if (status < 300 || status > 399 || !location || !URL.canParse(location, url)) return undefined;
	const { protocol, href } = new URL(location, url);
	return ['http:', 'https:'].includes(protocol) ? href : undefined;
}
