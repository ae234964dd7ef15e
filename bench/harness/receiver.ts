/** Runs as a process of its own: takes uploads, stores nothing, and counts the bytes. So only the sender's speed is measured. */
import { createServer } from 'node:http';

let received = 0;
let documents = 0;
const server = createServer((incoming, outgoing) => {
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
});
server.requestTimeout = 0;
server.listen(0, '127.0.0.1', () => {
	const address = server.address();
	if (typeof address !== 'object' || !address) throw new Error('The receiver has no address.');
	process.stdout.write(`http://127.0.0.1:${address.port}/v1\n`);
});
process.on('disconnect', () => process.exit());
