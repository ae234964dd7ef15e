/** Downloads that break off and go on, or begin again. */
import { randomBytes } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { Container } from '@n8n/di';
import { BinaryDataConfig } from 'n8n-core';
import type { INodeParameters } from 'n8n-workflow';
import { wallClock } from '../../nodes/Dossier/api/clock';
import {
	answerJson,
	answering,
	answerRange,
	breakAt,
	showDocument,
	shortenPauses,
	useFake,
} from './fakeService.mts';
import type { Handler, Handlers } from './fakeService.mts';
import { readBinary, useBinaryMode } from './n8n.mts';
import type { BinaryMode } from './n8n.mts';
import { byId } from './service.mts';

const content = randomBytes(400_000);
const half = content.length / 2;
const DOWNLOAD = 'GET /v1/documents/doc_1/download';

/** The first request gets the first answer, and so on; the last one serves all others. */
const inTurn = (...answers: Handler[]): Handler => {
	let turn = 0;
	return (...asked) => answers[Math.min(turn++, answers.length - 1)]?.(...asked);
};

const whole: Handler = (_, response) =>
	response.writeHead(200, { 'Content-Length': content.length }).end(content);

/** Breaks off at a byte. An entity tag proves that what comes later is the same file. */
const broken =
	({ at = half, tag = '', file = () => content } = {}): Handler =>
	(_, response) => {
		response.writeHead(200, { 'Content-Length': content.length, ...(tag && { ETag: tag }) });
		breakAt(response, file(), at);
	};

const rest: Handler = (request, response) => answerRange(request, response, content);

/** Gives no more than a part at a time, from byte `start` if no range is asked for. */
const part =
	({ tag = '', start = 0 } = {}): Handler =>
	(request, response) => {
		const from = Number(request.headers.range?.match(/\d+/)?.[0] ?? start);
		const end = Math.min(from + 150_000, content.length);
		const range = `bytes ${from}-${end - 1}/${content.length}`;
		response.writeHead(206, { 'Content-Range': range, ...(tag && { ETag: tag }) });
		response.end(content.subarray(from, end));
	};

const { service, run } = useFake();

shortenPauses();

const download = async (
	handlers: Handlers,
	{ hidden, ...parameters }: { hidden?: string[] } & INodeParameters = {},
) =>
	await run(
		{ resource: 'document', operation: 'download', documentId: byId('doc_1'), ...parameters },
		{ handlers: { 'GET /v1/documents/doc_1': showDocument(content, hidden), ...handlers } },
	);

const ranges = (path = '/v1/documents/doc_1/download') =>
	service.requests
		.filter((request) => request.path === path)
		.map(({ headers }) => [headers.range, headers['if-range']]);

const UNPROVEN = { hidden: ['checksum_sha256'] };
const UNKNOWN = { hidden: ['checksum_sha256', 'size_bytes'] };
const FROM_START = [undefined, undefined];

describe.each<BinaryMode>(['filesystem', 'default'])('In binary mode %s, a download', (mode) => {
	beforeAll(async () => await useBinaryMode(mode));

	const now = randomBytes(content.length);

	it.each<[string, Handler, { hidden?: string[] }, Buffer, unknown[]]>([
		[
			'goes on where it broke if an entity tag proves that the file is the same',
			inTurn(broken({ tag: '"v1"' }), rest),
			UNPROVEN,
			content,
			[FROM_START, [`bytes=${half}-`, '"v1"']],
		],
		[
			'starts again if nothing proves that the file is the same, and gives out each byte once',
			inTurn(broken(), whole),
			UNPROVEN,
			content,
			[FROM_START, FROM_START],
		],
		[
			'starts again if the service gives no ranges',
			inTurn(broken(), answering(416), whole),
			{},
			content,
			[FROM_START, [`bytes=${half}-`, undefined], FROM_START],
		],
		[
			'is whole if nothing but the end of its chunks is missing',
			inTurn((_, response) => breakAt(response, content, content.length), answering(416)),
			{},
			content,
			[FROM_START],
		],
		[
			'is whole if the service gives no more than a part at a time',
			part({ tag: '"v1"' }),
			UNKNOWN,
			content,
			[FROM_START, ['bytes=150000-', '"v1"'], ['bytes=300000-', '"v1"']],
		],
		[
			'is the file as it is now if that changed between two attempts',
			inTurn(broken(), (_, response) => response.end(now)),
			UNKNOWN,
			now,
			[FROM_START, FROM_START],
		],
	])('%s', async (_, handler, options, expected, asked) => {
		const { items, error } = await download({ [DOWNLOAD]: handler }, options);
		expect(error).toBeUndefined();
		expect(expected.equals(await readBinary(items[0]?.binary?.data))).toBe(true);
		expect(ranges().slice(0, asked.length)).toEqual(asked);
	});

	it.each<[string, Handler, number]>([
		['if a cache gives a part from the middle', part({ start: half }), 206],
		['if the service gives the same part again and again', part(), 206],
		[
			'if a cache gives a part as if it were the whole',
			answering(200, 'x', { 'Content-Range': 'bytes 0-0/2' }),
			200,
		],
		['if the service still prepares the file', answering(202), 202],
		['if the service answers that there is no content', answering(204), 204],
		['if the answer is empty and announces no length', answering(200), 200],
		[
			'if the service says in JSON that it still prepares the file',
			(_, response) => answerJson(response, 202, { status: 'preparing' }),
			202,
		],
	])('fails %s, and gives out no part of it', async (_, handler, status) => {
		const { items, error } = await download({ [DOWNLOAD]: handler }, UNKNOWN);
		expect(error?.message).toContain(`the whole of report.bin (status ${status})`);
		expect(items).toEqual([]);
	});

	it.each<[string, Handler, Handler]>([
		[
			'the answer',
			answering(200, '', { 'Content-Length': 0 }),
			showDocument(content, UNKNOWN.hidden),
		],
		['the document', answering(200), showDocument(Buffer.alloc(0))],
	])('is an empty file if %s says that its length is 0', async (_, handler, document) => {
		const handlers = { [DOWNLOAD]: handler, 'GET /v1/documents/doc_1': document };
		const { items, error } = await download(handlers);
		expect(error).toBeUndefined();
		expect(await readBinary(items[0]?.binary?.data)).toHaveLength(0);
	});

	it('fails if n8n does not undo its compression, unless its size and SHA-256 fit', async () => {
		const sent = gzipSync(gzipSync(content));
		const handlers: Handlers = {
			[DOWNLOAD]: answering(200, sent, { 'Content-Encoding': 'gzip, gzip' }),
		};
		const { items, error } = await download(handlers, UNKNOWN);
		expect(error?.message).toContain('report.bin (gzip, gzip)');
		expect(items).toEqual([]);
		const given = await download({ ...handlers, 'GET /v1/documents/doc_1': showDocument(sent) });
		expect(sent.equals(await readBinary(given.items[0]?.binary?.data))).toBe(true);
	});

	it('fails if the file changes again and again', async () => {
		const changing = broken({ file: () => randomBytes(content.length) });
		const { error } = await download({ [DOWNLOAD]: changing }, UNKNOWN);
		expect(error?.message).toContain('changed while it was read');
	});

	it('is given up after four attempts that bring nothing', async () => {
		const { error } = await download({ [DOWNLOAD]: broken({ at: 1 }) });
		expect(error?.message).toContain('was broken off');
		expect(ranges()).toHaveLength(4);
	});

	it('from a signed address is repeated, too, and goes on there', async () => {
		const { items } = await download({
			[DOWNLOAD]: answering(302, '', { Location: '/store/1' }),
			'GET /store/1': inTurn(
				answering(503, 'busy', { 'Retry-After': '0' }),
				broken({ tag: '"v1"' }),
				rest,
			),
		});
		expect(content.equals(await readBinary(items[0]?.binary?.data))).toBe(true);
		expect(ranges('/store/1').map(([range]) => range)).toEqual([
			undefined,
			undefined,
			`bytes=${half}-`,
		]);
		for (const { path, headers } of service.requests)
			expect('authorization' in headers).toBe(path !== '/store/1');
	});
});

it('A download whose signed address has expired says so, and nothing about the API key', async () => {
	const { error } = await download({
		[DOWNLOAD]: answering(302, '', { Location: '/store/1' }),
		'GET /store/1': answering(403, '<Error>Expired</Error>'),
	});
	expect(error?.description).toContain('may have expired');
	expect(error?.description).not.toMatch(/key|credential/i);
});

it.each([' ', '={{ $json.field }}'])(
	'A download into the field "%s" is refused before the service is called',
	async (binaryPropertyName) => {
		const { error } = await download({ [DOWNLOAD]: whole }, { binaryPropertyName });
		expect(error?.message).toBe("The field 'Put Output File in Field' is empty");
		expect(service.requests).toEqual([]);
	},
);

describe('A download that is refused leaves nothing in the storage of n8n', () => {
	beforeEach(async () => await useBinaryMode('filesystem'));

	const endless: Handler = (_, response) => {
		const write = () => {
			while (!response.destroyed && response.write(content));
		};
		response.on('drain', write);
		write();
	};
	const bomb = gzipSync(Buffer.alloc(50_000_000));
	const base64 = (bytes: Buffer) => ({ content_base64: bytes.toString('base64') });

	it.each<[string, Handler | object]>([
		['its SHA-256 is another one', answering(200, randomBytes(content.length))],
		['it is too short', answering(200, content.subarray(1))],
		['it is too long', answering(200, Buffer.concat([content, content]))],
		['it never ends', endless],
		['it is a small answer that unpacks', answering(200, bomb, { 'Content-Encoding': 'gzip' })],
		['it is too long as base64', base64(Buffer.concat([content, content]))],
	])('if %s', async (_, handler) => {
		const { error, items } = await download({ [DOWNLOAD]: handler });
		expect(error?.message).toContain('The downloaded file is damaged');
		expect(items).toEqual([]);
		const { localStoragePath: folder } = Container.get(BinaryDataConfig);
		const left = await readdir(folder, { recursive: true, withFileTypes: true });
		expect(left.filter((entry) => entry.isFile())).toEqual([]);
		expect(ranges()).toHaveLength(1);
	});
});

it.each([
	[202, 'asks to come back at once', { 'Retry-After': '0' }],
	[202, 'asks to come back after a date', { 'Retry-After': new Date(0).toUTCString() }],
	[202, 'says nothing more', {}],
	[425, 'says nothing more', {}],
])('A download is waited for if %i %s, and not asked for without pauses', async (...given) => {
	const [status, , headers] = given;
	const sleep = jest.spyOn(wallClock, 'sleep').mockClear();
	const preparing = answering(status, '', headers);
	const { error } = await download({ [DOWNLOAD]: inTurn(preparing, preparing, whole) });
	expect(error).toBeUndefined();
	expect(ranges()).toHaveLength(3);
	expect(sleep.mock.calls.length).toBeGreaterThanOrEqual(2);
});

it.each(['report.tar.gz', 'report.zst'])(
	'A download of %s is refused if n8n has unpacked it, and nothing else tells',
	async (file_name) => {
		const pack = file_name.endsWith('gz') ? gzipSync : zstdCompressSync;
		const document = { id: 'doc_1', file_name };
		const handlers = { 'GET /v1/documents/doc_1': document };
		const { error } = await download({
			...handlers,
			[DOWNLOAD]: answering(200, gzipSync(content), { 'Content-Encoding': 'gzip' }),
		});
		expect(error?.message).toContain(`labels ${file_name} with Content-Encoding`);
		const { items } = await download({ ...handlers, [DOWNLOAD]: answering(200, pack(content)) });
		expect(pack(content).equals(await readBinary(items[0]?.binary?.data))).toBe(true);
	},
);

it('A download is refused if n8n has unpacked it, and only the media type of its document says that it is compressed', async () => {
	const { error } = await download({
		'GET /v1/documents/doc_1': { id: 'doc_1', file_name: 'backup', mime_type: 'application/gzip' },
		[DOWNLOAD]: answering(200, gzipSync(content), { 'Content-Encoding': 'gzip' }),
	});
	expect(error?.message).toContain('labels backup with Content-Encoding');
});

it('A download that n8n cannot store is reported as a failure of n8n', async () => {
	await useBinaryMode('filesystem');
	const { localStoragePath: folder } = Container.get(BinaryDataConfig);
	const { error } = await download({
		[DOWNLOAD]: async (...asked) => {
			await rm(folder, { recursive: true });
			await writeFile(folder, 'a file is in the way');
			whole(...asked);
		},
	});
	expect(error?.message).toBe("n8n's storage failed at the file report.bin: not a directory");
	expect(error?.description).toContain('Check the disk');
});
