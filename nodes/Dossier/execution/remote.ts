import type { FileSource } from '../api/transfer/body';
import type { Api } from '../api/client';
import type { Exchange, Readable } from '../api/send/exchange';
import {
	dispositionFileName,
	mediaType,
	announcedLength,
	safeFileName,
} from '../api/transfer/fileFacts';
import { findBeginning, lookForText } from '../api/transfer/fileKinds';
import { decodePercent } from '../api/json';
import { Problem, readRefusal } from '../problems/problem';
import { IDENTITY, keepWhole, readWhole } from '../api/transfer/resume';
import type { Reopen, WholeBody } from '../api/transfer/resume';
import type { ItemFiles } from './binary';

function readFileName({ pathname }: URL): string {
	const last = pathname.split('/').at(-1) ?? '';
	return decodePercent(last) ?? last;
}

const NO_CONTENT = 204;

/** What the form says about a file, instead of its server. */
export interface WantedFile {
	fileName?: string;
	mimeType?: string;
}

/** Types, and endings of names and addresses, of files that may be web pages. */
const WEB_PAGE = /html|^(php|aspx?|jsp|cgi)$/i;

/** Whether the form or the address says that the file is something else than a web page, such as a page to sign in. */
function isOtherThanPage(address: URL, { fileName, mimeType }: WantedFile): boolean {
	const type = mimeType ?? (fileName ?? readFileName(address)).match(/\.(\d?[a-z]\w{0,4})$/i)?.[1];
	return type !== undefined && !WEB_PAGE.test(type);
}

/** Gives a function that opens the file. Its refusals name the address of the file, so that nobody blames the service. */
function opener(api: Api, url: string, isGuarded?: true): Reopen {
	const { host } = new URL(url);
	return async (headers) =>
		await api.openAddress({ url, access: 'file', isGuarded }, headers).catch((error: unknown) => {
			const refusal = readRefusal(error);
			throw refusal ? new Problem('FILE_URL_FAILED', { host, status: refusal.status }) : error;
		});
}

/**
 * Opens a file at a web address. Each reading fetches it without any credential and passes it on piece by piece. The first
 * connection tells its name, type and length, and serves the first reading. The size has to be known before the first byte
 * is sent, so n8n stores the file if the server announces no length or a wrong one.
 *
 * @param given a web address
 * @param wanted decides, with the address, whether a web page or text may be the file
 * @param isGuarded set if neither the address nor a redirect may lead into a private network
 * @throws Problem if the address does not give the file
 */
export async function openRemoteFile(
	{ api, files }: { api: Api; files: ItemFiles },
	given: string,
	wanted: WantedFile,
	isGuarded?: true,
): Promise<FileSource> {
	const address = new URL(given);
	const reopen = opener(api, given, isGuarded);
	const first = await reopen(IDENTITY);
	const { headers, statusCode: status } = first;
	const disposition = headers['content-disposition'];
	const isEmpty = status === NO_CONTENT;
	const isHtml = !disposition && mediaType(headers) === 'text/html';
	const isPage = !isEmpty && isHtml && isOtherThanPage(address, wanted);
	if (isEmpty || isPage) {
		first.close();
		throw new Problem('FILE_URL_FAILED', {
			host: address.host,
			status,
			found: isPage ? 'page' : undefined,
		});
	}
	const fileName =
		safeFileName(dispositionFileName(disposition)) ?? safeFileName(readFileName(address)) ?? 'file';
	const mimeType = mediaType(headers) ?? 'application/octet-stream';

	const beginning = findBeginning(
		wanted.mimeType === undefined
			? { fileName: wanted.fileName ?? fileName, mimeType }
			: { mimeType: wanted.mimeType },
	);
	async function read(exchange: Exchange): Promise<WholeBody> {
		const others = [wanted.fileName, wanted.mimeType];
		const body = readWhole(exchange, reopen, { fileName, others }, api.signal);
		if (!beginning) return body;
		const looked = await lookForText(body, beginning);
		if (!looked.isText) return looked.body;
		body.close();
		throw new Problem('FILE_URL_FAILED', { host: address.host, status, found: 'text' });
	}
	let unread: WholeBody | undefined = await read(first);

	async function open(): Promise<WholeBody> {
		const body = unread ?? (await read(await reopen(IDENTITY)));
		unread = undefined;
		return body;
	}
	async function keep(): Promise<FileSource> {
		const store = async (content: Readable) => await files.store(content, fileName, mimeType);
		return await files.stored(await keepWhole(await open(), first.stream, store));
	}
	const close = () => unread?.close();
	// The length of a part (206) is not that of the file.
	const size = status === 200 ? announcedLength(headers) : undefined;
	if (size === undefined) return { ...(await keep()), close };
	return { fileName, mimeType, size, open, keep, close };
}
