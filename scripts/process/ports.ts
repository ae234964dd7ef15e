import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { codeOf } from './plainError.ts';

/** A port on 127.0.0.1 that is free now: the wanted one, or another where that is taken (0: any). */
export async function choosePort(wanted: number): Promise<number> {
	try {
		return await tryPort(wanted);
	} catch (error) {
		if (codeOf(error) !== 'EADDRINUSE' && codeOf(error) !== 'EACCES') throw error;
		return await tryPort(0);
	}
}

function tryPort(port: number): Promise<number> {
	return new Promise((resolve, reject) => {
		const server = createServer();
		server.once('error', reject);
		server.listen(port, '127.0.0.1', () => {
			const address: AddressInfo | string | null = server.address();
			const found = address !== null && typeof address === 'object' ? address.port : port;
			server.close(() => resolve(found));
		});
	});
}
