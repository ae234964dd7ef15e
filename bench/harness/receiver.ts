/**
 * Runs as a process of its own: takes uploads, stores nothing, and counts the bytes, so that only the sender's speed is measured. It
 * also gives a file out in small pieces. With the paths of a key and a certificate, it speaks TLS.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';

const PIECE = Buffer.alloc(16_384, 'x');

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
		if (incoming.method === 'GET') {
			outgoing.end(JSON.stringify({ bytes: received }));
			return;
		}
		documents += 1;
		outgoing.statusCode = 201;
		outgoing.end(JSON.stringify({ id: `doc_${documents}` }));
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
