import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { AxiosRequestConfig } from 'axios';
import { PlainError } from './plainError.mts';
import { openService } from './sandbox.mts';
import type { SandboxProcess } from './sandbox.mts';

const PAGE = 100;

/** Reads directly what the sandbox has, without n8n. */
export interface Reader {
	/** All records of a list. */
	list<T>(path: string, filter?: Record<string, string>): Promise<T[]>;
	/** The SHA-256 of the file of a document. */
	hash(document: string): Promise<string>;
}

/** Makes a reader that waits as long as a 429 asks for. */
export function openReader(
	{ baseUrl, organization }: Pick<SandboxProcess, 'baseUrl' | 'organization'>,
	signal: AbortSignal,
): Reader {
	const service = openService(baseUrl, organization);
	const get = async <T,>(path: string, options: AxiosRequestConfig): Promise<T> => {
		for (;;) {
			const request = { ...options, signal, validateStatus: () => true };
			const { status, data, headers } = await service.get<T>(path, request);
			if (status === 200) return data;
			if (status !== 429) throw new PlainError(`The sandbox answered ${status} to GET ${path}.`);
			await wait(Number(headers['retry-after'] ?? 1) * 1000, undefined, { signal });
		}
	};
	return {
		list: async <T,>(path: string, filter: Record<string, string> = {}) => {
			const all: T[] = [];
			for (let page = 1; ; page += 1) {
				const params = { ...filter, page, per_page: PAGE };
				const { data } = await get<{ data: T[] }>(path, { params });
				all.push(...data);
				if (data.length < PAGE) return all;
			}
		},
		hash: async (document) => {
			const hash = createHash('sha256');
			const path = `/documents/${document}/download`;
			await pipeline(await get<Readable>(path, { responseType: 'stream' }), hash);
			return hash.digest('hex');
		},
	};
}
