/** Has n8n find the registry of a test under the address of npm's own, since n8n takes another one only with a license. */
import { readFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { join } from 'node:path';
import { root } from './live.mts';
import { run } from './registry.mts';

/** Where n8n 2 has the address that it takes without a license. */
const CONFIG = join(
	root,
	'hosts/n8n-2/node_modules/n8n/dist/modules/community-packages/community-packages.config.js',
);

interface PublicRegistry {
	/** For n8n: the proxy that leads there, and the certificate to trust. */
	env: NodeJS.ProcessEnv;
	/** Whether n8n asked the proxy for npm's own registry. */
	wasAsked(): boolean;
	close(): Promise<void>;
}

async function listen(server: Server): Promise<number> {
	await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
	return (server.address() as AddressInfo).port;
}

/** The host of the registry that n8n takes without a license. n8n has to be installed. */
async function readPublicHost(): Promise<string> {
	const [, address] = /this\.registry = '([^']+)'/.exec(await readFile(CONFIG, 'utf8')) ?? [];
	if (!address) throw new Error(`${CONFIG} names no registry.`);
	return new URL(address).host;
}

/** Opens a proxy that connects to the registry at `url`, and to nothing else. The certificate lies in an existing folder. */
export async function openPublicRegistry(url: string, folder: string): Promise<PublicRegistry> {
	const publicHost = await readPublicHost();
	const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
	const names = ['-subj', `/CN=${publicHost}`, '-addext', `subjectAltName=DNS:${publicHost}`];
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
		const headers = { ...incoming.headers, host: publicHost, 'x-forwarded-proto': 'https' };
		const options = { method: incoming.method, headers };
		const outgoing = request(new URL(incoming.url ?? '/', url), options, (found) => {
			answer.writeHead(found.statusCode ?? 502, found.headers);
			found.pipe(answer);
		});
		outgoing.on('error', () => answer.destroy());
		incoming.pipe(outgoing);
	});
	const securePort = await listen(secure);

	let asked = false;
	const sockets = new Set<Socket>();
	const proxy = createServer((_, answer) => answer.writeHead(403).end());
	proxy.on('connection', (socket) => {
		sockets.add(socket);
		socket.on('error', () => socket.destroy());
		socket.on('close', () => sockets.delete(socket));
	});
	proxy.on('connect', ({ url: host = '' }, socket) => {
		if (host !== `${publicHost}:443`) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
		asked = true;
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
		wasAsked: () => asked,
		close: async () => {
			for (const socket of sockets) socket.destroy();
			secure.closeAllConnections();
			await Promise.all(
				[proxy, secure].map((server) => new Promise((resolve) => void server.close(resolve))),
			);
		},
	};
}
