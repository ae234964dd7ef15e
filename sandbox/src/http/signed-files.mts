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

/** How long a signed address is valid, in milliseconds. */
const signedFor = 300_000;

/**
 * Serves the files behind signed addresses. It plays the part of a storage provider: another port, no key, no error object.
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

	/** The address of a document's file, on the host by which the caller reached the service. */
	formatAddress(dataset: number, id: string, hostname: string): string {
		const until = this.#service.clock.now() + signedFor;
		const content = Buffer.from(JSON.stringify({ dataset, id, until })).toString('base64url');
		return `http://${hostname}:${this.port}/signed/${content}.${this.#sign(content)}`;
	}

	async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
		const { journal } = this.#service;
		const recording = journal.open(incoming, newId('req'), undefined);
		try {
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

	#findDocument(url: string, method: string | undefined): JsonObject | undefined {
		const [, content = '', signature = ''] = /^\/signed\/([\w-]+)\.([\w-]+)$/.exec(url) ?? [];
		const [given, right] = [Buffer.from(signature), Buffer.from(this.#sign(content))];
		if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
		const { dataset, id, until } = parseObject(Buffer.from(content, 'base64url').toString('utf8'));
		if (method !== 'GET' || Number(until) <= this.#service.clock.now()) return undefined;
		try {
			return this.#service.documents.find(Number(dataset), toText(id)).fields;
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
