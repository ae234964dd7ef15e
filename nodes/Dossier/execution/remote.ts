import type { IExecuteFunctions, IN8nHttpFullResponse } from 'n8n-workflow';
import { dispositionFileName, mediaType, promisedLength, safeFileName } from '../api/download';
import { mapConnectionError } from '../api/failures';
import { Problem } from '../api/problem';

type Readable = import('stream').Readable;

/** How long the other side may be silent, in ms. */
const SILENCE = 300_000;

function readFileName({ pathname }: URL): string | undefined {
	const last = pathname.split('/').at(-1) ?? '';
	return last.includes('%') && !/%(?![0-9a-f]{2})/i.test(last) ? decodeURIComponent(last) : last;
}

/** A file at a web address. Its size, in bytes, is not always told. */
interface RemoteFile {
	fileName: string;
	mimeType: string;
	size?: number;
	open(): Promise<Readable>;
}

/**
 * A file at a web address, passed on piece by piece. It is opened once to learn its name, type and length; that
 * connection serves the first reading, and every further reading opens the address again.
 *
 * @throws Problem if the address does not give the file
 */
export async function remoteFile(context: IExecuteFunctions, address: URL): Promise<RemoteFile> {
	async function open(): Promise<IN8nHttpFullResponse> {
		const request = context.helpers.httpRequest({
			url: address.href,
			method: 'GET',
			encoding: 'stream',
			// A compressed answer would have another length than the file.
			headers: { 'Accept-Encoding': 'identity' },
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			timeout: SILENCE,
			abortSignal: context.getExecutionCancelSignal(),
		}) as Promise<IN8nHttpFullResponse>;
		const response = await request.catch((error: unknown) => {
			throw mapConnectionError(error, address.host, 'GET');
		});
		if (response.statusCode < 300) return response;
		(response.body as Readable).destroy();
		throw new Problem('FILE_URL_FAILED', { host: address.host, status: response.statusCode });
	}

	const first = await open();
	let unread: IN8nHttpFullResponse | undefined = first;
	return {
		fileName:
			safeFileName(dispositionFileName(first.headers['content-disposition'])) ??
			safeFileName(readFileName(address)) ??
			'file',
		mimeType: mediaType(first.headers) ?? 'application/octet-stream',
		size: promisedLength(first.headers),
		open: async () => {
			const { body } = unread ?? (await open());
			unread = undefined;
			return body as Readable;
		},
	};
}
