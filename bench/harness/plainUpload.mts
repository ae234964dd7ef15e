/**
 * Runs as a separate process: uploads a file with nothing but Node.js, and prints the ms that it took. It reads the file in pieces,
 * computes its SHA-256 and sends it, as every program on Node.js that checks what it sends has to.
 */
import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { request } from 'node:http';
import { pipeline } from 'node:stream/promises';

const [url = '', path = ''] = process.argv.slice(2);
const begin = performance.now();
const hash = createHash('sha256');
const sending = request(url, {
	method: 'POST',
	headers: { 'Content-Length': statSync(path).size },
});
sending.on('response', (answer) => {
	answer.resume();
	answer.on('end', () => process.stdout.write(String(performance.now() - begin)));
});
await pipeline(
	createReadStream(path, { highWaterMark: 196_608 }).on('data', (piece) => hash.update(piece)),
	sending,
);
