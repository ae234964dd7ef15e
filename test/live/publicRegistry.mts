/** Has n8n find the registry of a test under the address of npm's own, since n8n takes another one only with a license. */
import { readFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { join } from 'node:path';
import { run } from './registry.mts';

const PUBLIC = 'registry.npmjs.org';

interface PublicRegistry {
	/** For n8n: the proxy that leads there, and the certificate to trust. */
	env: NodeJS.ProcessEnv;
	/** The hosts that n8n asked the proxy for. */
	asked: Set<string>;
	close(): Promise<void>;
}

async function listen(server: Server): Promise<number> {
	await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
	return (server.address() as AddressInfo).port;
}

/** Opens a proxy that connects to the registry at `url`, and to nothing else. The certificate lies in an existing folder. */
export async function openPublicRegistry(url: string, folder: string): Promise<PublicRegistry> {
	const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
	const names = ['-subj', `/CN=${PUBLIC}`, '-addext', `subjectAltName=DNS:${PUBLIC}`];
	const made = [
		'-x509',
		'-newkey',
		'rsa:2048',
		'-nodes',
		'-days',
		'2',
		'-keyout',
		key,
		'-out',
		cert,
	];
	await run('openssl', ['req', ...made, ...names]);
	const pair = { key: await readFile(key), cert: await readFile(cert) };
	const secure = createSecureServer(pair, (incoming, answer) => {
		const headers = { ...incoming.headers, host: PUBLIC, 'x-forwarded-proto': 'https' };
		const options = { method: incoming.method, headers };
		const outgoing = request(new URL(incoming.url ?? '/', url), options, (found) => {
			answer.writeHead(found.statusCode ?? 502, found.headers);
			found.pipe(answer);
		});
		outgoing.on('error', () => answer.destroy());
		incoming.pipe(outgoing);
	});
	const securePort = await listen(secure);

	const asked = new Set<string>();
	const sockets = new Set<Socket>();
	const proxy = createServer((_, answer) => answer.writeHead(403).end());
	proxy.on('connection', (socket) => {
		sockets.add(socket);
		socket.on('error', () => socket.destroy());
		socket.on('close', () => sockets.delete(socket));
	});
	proxy.on('connect', ({ url: host = '' }, socket) => {
		asked.add(host);
		if (host !== `${PUBLIC}:443`) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
		const through = connect(securePort, '127.0.0.1', () => {
			socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
			through.pipe(socket).pipe(through);
		});
		through.on('error', () => socket.destroy());
		socket.on('error', () => through.destroy());
	});
	const port = await listen(proxy);
	const address = `http://127.0.0.1:${port}`;
	return {
		env: {
			HTTPS_PROXY: address,
			https_proxy: address,
			NO_PROXY: '127.0.0.1,localhost',
			no_proxy: '127.0.0.1,localhost',
			NODE_EXTRA_CA_CERTS: cert,
		},
		asked,
		close: async () => {
			for (const socket of sockets) socket.destroy();
			secure.closeAllConnections();
			await Promise.all(
				[proxy, secure].map((server) => new Promise((resolve) => void server.close(resolve))),
			);
		},
	};
}
