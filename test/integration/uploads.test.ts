/** Uploads to services that are slow, answer early or break off, and of files that change. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Container } from '@n8n/di';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { BinaryDataConfig } from 'n8n-core';
import type { INodeParameters } from 'n8n-workflow';
import {
	answerJson,
	answerRange,
	breakAt,
	readBody,
	sha256,
	startFileService,
} from './fileService';
import type { FileService } from './fileService';
import { runDossier, useBinaryMode } from './n8n';
import type { BinaryMode, Input } from './n8n';
import { uploadTo } from './requests';

const UPLOAD = 'POST /v1/dossiers/dos_1/documents';
const MB = 1024 ** 2;

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

let service: FileService | undefined;
/** The files that the service has stored. */
let stored: Buffer[] = [];

const store: Answer = async (request, response) => {
	const body = await readBody(request).catch(() => undefined);
	if (!body) return;
	const { content_base64: text } = JSON.parse(body.toString()) as { content_base64: string };
	const content = Buffer.from(text, 'base64');
	stored.push(content);
	answerJson(response, 201, {
		id: `doc_${stored.length}`,
		size_bytes: content.length,
		checksum_sha256: sha256(content),
	});
};

beforeEach(() => {
	stored = [];
	// The pauses before a repetition are as short as chance allows.
	jest.spyOn(Math, 'random').mockReturnValue(0.001);
});

afterEach(async () => {
	await service?.stop();
	service = undefined;
	jest.restoreAllMocks();
});

async function upload(
	handlers: Record<string, Answer>,
	items: Input[],
	parameters: INodeParameters = {},
	onError?: 'continueRegularOutput',
) {
	service ??= await startFileService({
		'GET /v1/dossiers/dos_1/documents': (_, response) => answerJson(response, 200, { data: [] }),
		...handlers,
	});
	return await runDossier({
		parameters: uploadTo('dos_1', { options: { format: 'json' }, ...parameters }),
		credential: service.credential,
		items,
		onError,
	});
}

const file = (content: Buffer, mimeType?: string): Input => ({
	json: {},
	files: { data: { fileName: 'report.bin', content, mimeType } },
});

/** The files that this process holds open below n8n's binary storage. */
function openFiles(): string[] {
	const { localStoragePath: folder } = Container.get(BinaryDataConfig);
	return readdirSync('/proc/self/fd').flatMap((name) => {
		try {
			const target = readlinkSync(`/proc/self/fd/${name}`);
			return target.startsWith(folder) ? [target] : [];
		} catch {
			return [];
		}
	});
}

async function expectNothingOpen(): Promise<void> {
	for (let polls = 0; polls < 3_000; polls++) {
		if (openFiles().length === 0 && (await service?.connections()) === 0) break;
		await delay(20);
	}
	expect(openFiles()).toEqual([]);
}

describe.each<BinaryMode>(['filesystem', 'default'])('In binary mode %s, an upload', (mode) => {
	let forget: () => Promise<void>;

	beforeAll(async () => {
		forget = await useBinaryMode(mode);
	});

	afterAll(async () => {
		await forget();
	});

	it('may take longer than the time-out as long as the service reads', async () => {
		const content = randomBytes(36 * MB);
		const slowly: Answer = (request, response) => {
			let size = 0;
			let begun = 0;
			request.on('data', (piece: Buffer) => {
				begun ||= Date.now();
				size += piece.length;
				// 4 MB in a second
				const ahead = size / (4 * MB) - (Date.now() - begun) / 1000;
				if (ahead > 0.05) {
					request.pause();
					setTimeout(() => request.resume(), ahead * 1000);
				}
			});
			request.on('end', () => answerJson(response, 201, { id: 'doc_1', took: Date.now() - begun }));
		};
		const { items, error } = await upload({ [UPLOAD]: slowly }, [file(content)], {
			options: { timeout: 8 },
		});
		expect(error).toBeUndefined();
		expect(items[0]?.json.took).toBeGreaterThan(8_000);
	});

	it('to a service that stops reading ends with the time-out, and leaves nothing open', async () => {
		const { error } = await upload(
			{ [UPLOAD]: (request) => request.pause() },
			[file(randomBytes(36 * MB))],
			{
				options: { timeout: 1 },
			},
		);
		expect(error?.message).toContain('did not answer in time');
		await expectNothingOpen();
	});

	it.each(Array.from({ length: 5 }, (_, n) => n + 1))(
		'that is refused before it is read tells why (attempt %i)',
		async () => {
			const early: Answer = (request, response) => {
				response.writeHead(413, { 'Content-Type': 'application/json', Connection: 'close' });
				response.end('{"error": {"code": "FILE_TOO_LARGE", "message": "Too large"}}', () =>
					request.socket.destroy(),
				);
			};
			const { error } = await upload({ [UPLOAD]: early }, [file(randomBytes(20 * MB))]);
			expect(error).toMatchObject({ message: 'Too large', httpCode: '413' });
			await expectNothingOpen();
		},
	);

	it('whose connection breaks leaves no file open', async () => {
		const broken: Answer = (request) => request.once('data', () => request.socket.destroy());
		const items = Array.from({ length: 5 }, () => file(randomBytes(4 * MB)));
		const outcome = await upload({ [UPLOAD]: broken }, items, {}, 'continueRegularOutput');
		expect(outcome.items.filter(({ json }) => json.error)).toHaveLength(5);
		await expectNothingOpen();
	});

	it('that the service stored with other bytes is an error', async () => {
		const other: Answer = async (request, response) => {
			await readBody(request);
			answerJson(response, 201, { id: 'doc_1', checksum_sha256: '0'.repeat(64) });
		};
		const { error } = await upload({ [UPLOAD]: other }, [file(Buffer.from('content'))]);
		expect(error?.message).toContain('with another SHA-256');
		expect(error?.description).toContain('Delete the document doc_1');
	});

	describe('from a web address', () => {
		const content = randomBytes(300_000);

		const fromAddress = async (answer: Answer, parameters: INodeParameters = {}) => {
			service = await startFileService({
				'GET /v1/dossiers/dos_1/documents': (_, response) =>
					answerJson(response, 200, {
						data: [
							{ id: 'doc_0', file_name: 'file', size_bytes: 9, checksum_sha256: 'f'.repeat(64) },
							{
								id: 'doc_x',
								file_name: 'file',
								size_bytes: content.length,
								checksum_sha256: 'f'.repeat(64),
							},
						],
					}),
				[UPLOAD]: store,
				'GET /file': answer,
			});
			return await upload({}, [{ json: {} }], {
				filesFrom: 'url',
				fileUrl: `${service.url}/file`,
				...parameters,
			});
		};

		it('is whole, although it comes compressed and its length is the compressed one', async () => {
			const compressed = gzipSync(content);
			const { error } = await fromAddress((_, response) =>
				response
					.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': compressed.length })
					.end(compressed),
			);
			expect(error).toBeUndefined();
			expect(stored.map(sha256)).toEqual([sha256(content)]);
		});

		it('goes on where it broke', async () => {
			let asked = 0;
			const { error } = await fromAddress((request, response) => {
				if (asked++) return answerRange(request, response, content);
				response.writeHead(200, { 'Content-Length': content.length, ETag: '"a"' });
				return breakAt(response, content, 100_000);
			});
			expect(error).toBeUndefined();
			expect(stored.map(sha256)).toEqual([sha256(content)]);
		});

		it('stores nothing if the file changes between two readings', async () => {
			let asked = 0;
			const { error } = await fromAddress(
				(_, response) => {
					const now = asked++ ? randomBytes(content.length) : content;
					response.writeHead(200, { 'Content-Length': content.length }).end(now);
				},
				{ ifExists: 'skip' },
			);
			expect(error?.message).toContain('changed while it was read');
			expect(stored).toEqual([]);
		});

		it('that answers with an endless error page is closed', async () => {
			const { error } = await fromAddress((_, response) => {
				response.writeHead(404);
				const more = () =>
					response.write(randomBytes(65_536), (failed) => failed ?? setImmediate(more));
				more();
			});
			expect(error?.message).toContain('status 404');
			await expectNothingOpen();
			expect(await service?.connections()).toBe(0);
		});
	});
});

describe('A file whose type the service does not take in any format', () => {
	let forget: () => Promise<void>;

	beforeAll(async () => {
		forget = await useBinaryMode('default');
	});

	afterAll(async () => {
		await forget();
	});

	it('is refused for its first reason, and the next file is sent as JSON', async () => {
		const formats: string[] = [];
		const picky: Answer = async (request, response) => {
			const type = request.headers['content-type']?.split(';')[0] ?? '';
			formats.push(type);
			const body = await readBody(request);
			if (!body.includes('application/x-odd')) return answerJson(response, 201, { id: 'doc_1' });
			const message = type === 'application/json' ? 'No such files here' : 'Cannot read this';
			return answerJson(response, 415, { error: { code: 'UNSUPPORTED_MEDIA_TYPE', message } });
		};
		const { items } = await upload(
			{ [UPLOAD]: picky },
			[file(Buffer.from('odd'), 'application/x-odd'), file(Buffer.from('usual'), 'text/plain')],
			{ options: { format: 'auto', concurrentRequests: 1 } },
			'continueRegularOutput',
		);
		expect(items.map(({ json }) => json.error ?? json.id)).toEqual([
			expect.objectContaining({ message: 'No such files here', status: 415 }),
			'doc_1',
		]);
		expect(formats).toEqual(['application/json', 'multipart/form-data', 'application/json']);
	});
});
