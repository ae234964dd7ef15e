import { readdir, unlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';

/** Somebody who deletes a file from n8n's storage while a workflow runs, when asked for by its ID. */
export async function openRemover(storage: string) {
	const server = createServer((request, response) => {
		const id = new URL(request.url ?? '', 'http://127.0.0.1').searchParams.get('remove');
		void remove(storage, id?.split('/').at(-1)).then(() => response.end('{}'));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = server.address();
	if (typeof address !== 'object' || !address) throw new Error('The server has no address.');
	const close = () => new Promise((resolve) => server.close(resolve));
	return { url: `http://127.0.0.1:${address.port}/`, close };
}

async function remove(storage: string, name: string | undefined): Promise<void> {
	if (!name) return;
	for (const path of await readdir(storage, { recursive: true })) {
		if (path.endsWith(name)) await unlink(join(storage, path));
	}
}
