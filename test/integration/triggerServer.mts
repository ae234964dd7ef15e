/**
 * n8n's HTTP side of a webhook, up to the node: its body reader, and what it does with each kind of content before it
 * asks a node of a version above 1. Follows n8n 2.40.7, `middlewares/body-parser.js` and `webhooks/webhook-helpers.js`;
 * n8n itself is not among the dependencies. The live tests send the same requests to real ones.
 */
import { parseIncomingMessage } from '@n8n/backend-network';
import express from 'express';
import type { Request, Response } from 'express';
import { jsonParse } from 'n8n-workflow';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { finished } from 'node:stream/promises';
import { createGunzip, createInflate } from 'node:zlib';
import getRawBody from 'raw-body';

const LARGEST = '16mb';

/** Answers of n8n itself, before or instead of those of the node. */
class HttpError extends Error {
	readonly status: number;

	constructor(status: number, message: string) {
		super(message);
		this.status = status;
	}
}

/** n8n's `rawBodyReader`. */
function addReader(request: Request): void {
	parseIncomingMessage(request);
	request.readRawBody = async () => {
		if (request.rawBody) return;
		const encoding = request.headers['content-encoding'];
		const stream =
			encoding === 'gzip'
				? request.pipe(createGunzip())
				: encoding === 'deflate'
					? request.pipe(createInflate())
					: request;
		if (request.destroyed || !stream.readable) {
			throw new HttpError(400, 'Request body stream was aborted or is not readable');
		}
		const length = stream === request ? request.headers['content-length'] : undefined;
		request.rawBody = await getRawBody(stream, { length, limit: LARGEST });
	};
}

/** n8n's `parseRequestBody` and `parseBody`, for a node of a version above 1. */
async function parseBody(request: Request): Promise<void> {
	const { contentType = '' } = request;
	if (contentType === 'multipart/form-data') {
		// n8n takes the parts into files and an object.
		await finished(request.resume());
		return;
	}
	const isParsed =
		/^(application\/json|text\/plain|application\/x-www-form-urlencoded)/.test(contentType) ||
		/[/+]xml$/.test(contentType);
	if (!isParsed) return;
	await request.readRawBody();
	if (contentType !== 'application/json' || !request.rawBody.length) return;
	try {
		request.body = jsonParse(request.rawBody.toString(request.encoding).replace(/^\uFEFF/, ''));
	} catch {
		throw new HttpError(422, 'Failed to parse request body');
	}
}

interface WebhookServer {
	/** Without a slash at its end. */
	origin: string;
	stop(): Promise<void>;
}

/** Listens as n8n does, and hands on what the node gets to see. What `handle` throws is answered as n8n does. */
export async function listenForWebhooks(
	handle: (request: Request, response: Response) => Promise<void>,
): Promise<WebhookServer> {
	const app = express();
	app.disable('x-powered-by');
	app.all(/^\/webhook/, (request, response) => {
		addReader(request);
		parseBody(request)
			.then(async () => await handle(request, response))
			.catch((error: unknown) => {
				if (response.headersSent) return;
				response.status(error instanceof HttpError ? error.status : 500).json({ code: 0 });
			});
	});
	const server: Server = app.listen(0, '127.0.0.1');
	await new Promise((resolve) => server.once('listening', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		origin: `http://127.0.0.1:${port}`,
		stop: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
