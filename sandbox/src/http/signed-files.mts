import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '../contract/service-error.mts';
import { newId } from '../platform/ids.mts';
import { parseObject, toText } from '../platform/json.mts';
import type { JsonObject } from '../platform/json.mts';
import { openFile } from '../operations/open-file.mts';
import type { Service } from '../service.mts';
import { applyRange, pipeBody } from './response-sink.mts';
import { receiveBytes } from './upload/receive.mts';

/** The header that belongs to an address for a file that is brought. */
const tokenHeader = 'x-upload-token';

/** How long a signed address is valid, in milliseconds. */
export const signedFor = 300_000;

/**
 * Serves and takes the files behind signed addresses. It plays the part of a storage provider: another port, no key, no error object.
 * An address is valid for five minutes of the sandbox's clock, and not after a restart.
 */
export class SignedFiles {
	readonly server = createServer((incoming, outgoing) => void this.#serve(incoming, outgoing));
	/** The port that it listens on; 0 before. */
	port = 0;
	readonly #service: Service;
	readonly #secret = randomBytes(32);

	constructor(service: Service) {
		this.#service = service;
	}

	/** The address of a document's file, on the host by which the caller reached the service: to read it, or with PUT to bring it. */
	formatAddress(dataset: number, id: string, hostname: string, method = 'GET'): string {
		const until = this.#service.clock.now() + signedFor;
		const content = Buffer.from(JSON.stringify({ dataset, id, until, method })).toString(
			'base64url',
		);
		return `http://${hostname}:${this.port}/signed/${content}.${this.#sign(content)}`;
	}

	/** The headers without which the address for a file refuses, if the dialect has any. */
	formatHeaders(id: string): JsonObject {
		return { [tokenHeader]: this.#sign(`token ${id}`) };
	}

	async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
		const { journal } = this.#service;
		const recording = journal.open(incoming, newId('req'), undefined);
		try {
			if (incoming.method === 'PUT') {
				recording.status = await this.#take(incoming);
				outgoing.writeHead(recording.status).end();
				return;
			}
			const answer = await this.#find(incoming);
			if (typeof answer === 'string') {
				recording.status = incoming.headers.authorization === undefined ? 403 : 400;
				outgoing.writeHead(recording.status, { 'Content-Type': 'text/plain; charset=utf-8' });
				outgoing.end(answer);
				return;
			}
			const { status, headers, file, part } = applyRange(answer, incoming);
			recording.status = status;
			outgoing.writeHead(status, headers);
			recording.answer.count(Number(headers['Content-Length']));
			await pipeBody(file.createReadStream(part), outgoing);
		} catch (error) {
			// A body that ends early fails in many ways.
			if (!incoming.socket.destroyed) throw error;
		} finally {
			recording.end();
		}
	}

	async #find({ url = '', method, headers }: IncomingMessage) {
		if (headers.authorization !== undefined) {
			return 'This address is signed and takes no Authorization. A client that sends one gives the API key to another host.\n';
		}
		const document = this.#findDocument(url, method);
		if (!document) return 'This address is wrong, or too old.\n';
		return await openFile(this.#service.files, document);
	}

	/** Stores the file of a document. Gives the status. */
	async #take(incoming: IncomingMessage): Promise<number> {
		const { documents, dialect, files, options } = this.#service;
		const { url = '', headers } = incoming;
		const { id, dataset } = this.#readClaim(url, 'PUT') ?? {};
		const { headers: wanted, confirm } = dialect.upload ?? {};
		const isKnown =
			wanted === undefined || headers[tokenHeader] === this.#sign(`token ${toText(id)}`);
		if (headers.authorization !== undefined) return 400;
		if (id === undefined || !isKnown) return 403;
		try {
			await receiveBytes(incoming, files, options, (upload) =>
				documents.receive(Number(dataset), toText(id), upload),
			);
			if (confirm === undefined) documents.complete(Number(dataset), toText(id));
			return 200;
		} catch (error) {
			if (error instanceof ServiceError) return error.code === 'FILE_TOO_LARGE' ? 413 : 403;
			throw error;
		}
	}

	#readClaim(url: string, method: string | undefined): JsonObject | undefined {
		const [, content = '', signature = ''] = /^\/signed\/([\w-]+)\.([\w-]+)$/.exec(url) ?? [];
		const [given, right] = [Buffer.from(signature), Buffer.from(this.#sign(content))];
		if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
		const claim = parseObject(Buffer.from(content, 'base64url').toString('utf8'));
		const isFresh = Number(claim.until) > this.#service.clock.now();
		return isFresh && claim.method === method ? claim : undefined;
	}

	#findDocument(url: string, method: string | undefined): JsonObject | undefined {
		const claim = method === 'GET' ? this.#readClaim(url, method) : undefined;
		if (!claim) return undefined;
		try {
			return this.#service.documents.find(Number(claim.dataset), toText(claim.id)).fields;
		} catch (error) {
			// The document was deleted meanwhile.
			if (error instanceof ServiceError) return undefined;
			throw error;
		}
	}

	#sign(content: string): string {
		return createHmac('sha256', this.#secret).update(content).digest('base64url');
	}
}
