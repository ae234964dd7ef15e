/**
 * Runs as a separate process: receives uploads, stores nothing, and counts the bytes, so that only the sender's speed is measured. It
 * also serves a file in small pieces. Under a path that begins with a number, it is a service with that many dossiers, which answers
 * each request after 20 ms. With the paths of a key and a certificate, it speaks TLS.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';

const PIECE = Buffer.alloc(16_384, 'x');

const DELAY_MS = 20;

const makeDossier = (n: number) => ({
	id: `dos_${String(n).padStart(24, '0')}`,
	title: `Dossier ${n}`,
	reference: `2026-${n}`,
	description: null,
	status: 'open',
	type: 'client',
	tags: ['new', `team-${n % 7}`],
	contact: { name: `Person ${n}`, email: `person.${n}@example.com`, phone: null },
	document_count: n % 12,
	created_at: '2026-01-02T03:04:05Z',
	updated_at: '2026-01-02T03:04:05Z',
	due_at: null,
});

/** A page of a list of `total` dossiers. */
function writePage(total: number, query: URLSearchParams): string {
	const page = Number(query.get('page') ?? 1);
	const size = Number(query.get('per_page') ?? 25);
	const from = (page - 1) * size;
	const data = Array.from({ length: Math.min(size, total - from) }, (_, n) =>
		makeDossier(from + n),
	);
	const pages = Math.ceil(total / size);
	const pagination = { page, per_page: size, total, total_pages: pages, has_more: page < pages };
	return JSON.stringify({ data, pagination });
}

let received = 0;
let documents = 0;
const listener: RequestListener = (incoming, outgoing) => {
	const size = Number(/^\/file\/(\d+)$/.exec(incoming.url ?? '')?.[1] ?? NaN);
	if (!Number.isNaN(size)) {
		outgoing.setHeader('Content-Length', size);
		outgoing.setHeader('Content-Type', 'application/octet-stream');
		let left = size;
		const write = () => {
			while (left > 0) {
				const piece = PIECE.subarray(0, left);
				left -= piece.length;
				if (!outgoing.write(piece)) return;
			}
			outgoing.end();
		};
		outgoing.on('drain', write);
		write();
		return;
	}
	incoming.on('data', (bytes: Buffer) => (received += bytes.length));
	incoming.on('end', () => {
		outgoing.setHeader('Content-Type', 'application/json');
		const [, total, query] = /^\/(\d+)\/v1\/[^?]*\??(.*)$/.exec(incoming.url ?? '') ?? [];
		const answer = (body: string) => {
			if (total === undefined) outgoing.end(body);
			else setTimeout(() => outgoing.end(body), DELAY_MS);
		};
		if (incoming.method === 'GET') {
			const list = total && writePage(Number(total), new URLSearchParams(query));
			return answer(list ?? JSON.stringify({ bytes: received, documents }));
		}
		documents += 1;
		outgoing.statusCode = 201;
		answer(JSON.stringify({ id: `doc_${documents}` }));
	});
};
const [key, cert] = process.argv.slice(2);
const server =
	key && cert
		? createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, listener)
		: createServer(listener);
server.requestTimeout = 0;
server.listen(0, '127.0.0.1', () => {
	const address = server.address();
	if (typeof address !== 'object' || !address) throw new Error('The receiver has no address.');
	process.stdout.write(`${key ? 'https' : 'http'}://127.0.0.1:${address.port}/v1\n`);
});
process.on('disconnect', () => process.exit());
