/** Callers that hang up before the download that they asked for begins. */
import type { FileHandle } from 'node:fs/promises';
import { request } from 'node:http';
import { Files } from '../src/database/files.ts';
import { makeUpload, waitUntil } from './clients.ts';
import { useSandbox } from './use-sandbox.ts';

const { client, control, organization, sandbox } = useSandbox();

const CLOSED = -1;

/** Gives the file that the sandbox opened for a request whose caller had hung up by then. */
async function abandon(url: string, headers: Record<string, string>): Promise<FileHandle> {
	const asked = request(url, { headers });
	asked.on('error', () => undefined);
	const opened = new Promise<FileHandle>((resolve) => {
		const spy = jest.spyOn(Files.prototype, 'openStored');
		spy.mockImplementation(async function (this: Files, id) {
			spy.mockRestore();
			const file = await this.openStored(id);
			await new Promise((gone) => asked.once('close', gone).destroy());
			// The server sees it a moment later.
			await new Promise((later) => setTimeout(later, 50));
			resolve(file);
			return file;
		});
	});
	asked.end();
	return await opened;
}

test.each(['bytes', 'content', 'address'] as const)(
	'leave no file open, if it is answered as %s',
	async (kind) => {
		const { data: dossier } = await client.post('/dossiers', { title: 'Case' });
		const { data } = await client.post(`/dossiers/${dossier.id}/documents`, makeUpload('x'));
		await control.speak({ download: { answer: kind } });
		const path = `/documents/${data.id}/download`;
		const { id, liveKey } = organization();
		const file =
			kind === 'address'
				? await abandon((await client.get(path)).data.url, {})
				: await abandon(`${sandbox().url}/v1${path}`, {
						Authorization: `Bearer ${liveKey}`,
						'X-Organization-ID': id,
					});
		await waitUntil(() => file.fd === CLOSED);
	},
);
