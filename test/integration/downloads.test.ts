/** Downloads that break off and go on, or begin again. */
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Container } from '@n8n/di';
import { BinaryDataConfig } from 'n8n-core';
import type { INodeParameters } from 'n8n-workflow';
import { answerRange, breakAt, shortenPauses, showDocument, startFake } from './fakeService';
import type { FakeService } from './fakeService';
import { readBinary, runDossier, useBinaryMode } from './n8n';
import type { BinaryMode } from './n8n';
import { byId } from './service';

const content = randomBytes(400_000);
const half = content.length / 2;
const DOWNLOAD = 'GET /v1/documents/doc_1/download';

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

/** The first request gets the first answer, and so on; the last one serves all others. */
const inTurn = (...answers: Answer[]): Answer => {
	let turn = 0;
	return (request, response) => answers[Math.min(turn++, answers.length - 1)]?.(request, response);
};

const whole: Answer = (_, response) =>
	response.writeHead(200, { 'Content-Length': content.length }).end(content);

let service: FakeService | undefined;

shortenPauses();

afterEach(async () => {
	await service?.stop();
	service = undefined;
});

async function download(
	handlers: Record<string, Answer>,
	{
		hidden,
		field = 'data',
		options = {},
	}: { hidden?: string[]; field?: string; options?: INodeParameters } = {},
) {
	service = await startFake({
		'GET /v1/documents/doc_1': showDocument(content, hidden),
		...handlers,
	});
	return await runDossier({
		parameters: {
			resource: 'document',
			operation: 'download',
			documentId: byId('doc_1'),
			binaryPropertyName: field,
			options,
		},
		credential: service.credential,
	});
}

const ranges = () =>
	service?.requests
		.filter(({ path }) => path.endsWith('/download'))
		.map(({ headers }) => [headers.range, headers['if-range']]);

describe.each<BinaryMode>(['filesystem', 'default'])('In binary mode %s, a download', (mode) => {
	beforeAll(async () => await useBinaryMode(mode));

	async function expectWhole(outcome: Promise<Awaited<ReturnType<typeof download>>>) {
		const { items, error } = await outcome;
		expect(error).toBeUndefined();
		expect(content.equals(await readBinary(items[0]?.binary?.data))).toBe(true);
	}

	it('goes on where it broke if an entity tag proves that the file is the same', async () => {
		const broken: Answer = (_, response) => {
			response.writeHead(200, { 'Content-Length': content.length, ETag: '"v1"' });
			breakAt(response, content, half);
		};
		const rest: Answer = (request, response) => answerRange(request, response, content);
		await expectWhole(
			download({ [DOWNLOAD]: inTurn(broken, rest) }, { hidden: ['checksum_sha256'] }),
		);
		expect(ranges()).toEqual([
			[undefined, undefined],
			[`bytes=${half}-`, '"v1"'],
		]);
	});

	it('starts again if nothing proves that the file is the same, and gives out each byte once', async () => {
		const broken: Answer = (_, response) => {
			response.writeHead(200, { 'Content-Length': content.length });
			breakAt(response, content, half);
		};
		await expectWhole(
			download({ [DOWNLOAD]: inTurn(broken, whole) }, { hidden: ['checksum_sha256'] }),
		);
		expect(ranges()?.[1]).toEqual([undefined, undefined]);
	});

	it('starts again if the service gives no ranges', async () => {
		const broken: Answer = (_, response) => {
			response.writeHead(200, { 'Content-Length': content.length });
			breakAt(response, content, half);
		};
		const refused: Answer = (_, response) => response.writeHead(416).end();
		await expectWhole(download({ [DOWNLOAD]: inTurn(broken, refused, whole) }));
	});

	it('is the file as it is now if that changed between two attempts', async () => {
		const broken: Answer = (_, response) => {
			response.writeHead(200, { 'Content-Length': content.length });
			breakAt(response, content, half);
		};
		const now = randomBytes(content.length);
		const other: Answer = (_, response) => response.end(now);
		const { items } = await download(
			{ [DOWNLOAD]: inTurn(broken, other) },
			{ hidden: ['checksum_sha256', 'size_bytes'] },
		);
		expect(now.equals(await readBinary(items[0]?.binary?.data))).toBe(true);
	});

	it('fails if the file changes again and again', async () => {
		const broken: Answer = (_, response) => {
			response.writeHead(200, { 'Content-Length': content.length });
			breakAt(response, randomBytes(content.length), half);
		};
		const { error } = await download(
			{ [DOWNLOAD]: broken },
			{ hidden: ['checksum_sha256', 'size_bytes'] },
		);
		expect(error?.message).toContain('changed while it was read');
	});

	it('is given up after four attempts that bring nothing', async () => {
		const broken: Answer = (_, response) => {
			response.writeHead(200, { 'Content-Length': content.length });
			breakAt(response, content, 1);
		};
		const { error } = await download({ [DOWNLOAD]: broken });
		expect(error?.message).toContain('was broken off');
		expect(ranges()).toHaveLength(4);
	});

	it('from a signed address is repeated, too, and goes on there', async () => {
		const moved: Answer = (_, response) => response.writeHead(302, { Location: '/store/1' }).end();
		const unavailable: Answer = (_, response) =>
			response.writeHead(503, { 'Retry-After': '0' }).end('busy');
		const broken: Answer = (_, response) => {
			response.writeHead(200, { 'Content-Length': content.length, ETag: '"v1"' });
			breakAt(response, content, half);
		};
		const rest: Answer = (request, response) => answerRange(request, response, content);
		await expectWhole(
			download({ [DOWNLOAD]: moved, 'GET /store/1': inTurn(unavailable, broken, rest) }),
		);
		const asked = service?.requests.filter(({ path }) => path === '/store/1') ?? [];
		expect(asked.map(({ headers }) => headers.range)).toEqual([
			undefined,
			undefined,
			`bytes=${half}-`,
		]);
		for (const { headers } of asked) expect(headers).not.toHaveProperty('authorization');
	});

	it('whose signed address has expired says so, and nothing about the API key', async () => {
		const { error } = await download({
			[DOWNLOAD]: (_, response) => response.writeHead(302, { Location: '/store/1' }).end(),
			'GET /store/1': (_, response) => response.writeHead(403).end('<Error>Expired</Error>'),
		});
		expect(error?.description).toContain('may have expired');
		expect(error?.description).not.toMatch(/key|credential/i);
	});
});

it.each([' ', '={{ $json.field }}'])(
	'A download into the field "%s" is refused before the service is called',
	async (field) => {
		const { error } = await download({ [DOWNLOAD]: whole }, { field });
		expect(error?.message).toBe("The field 'Put Output File in Field' is empty");
		expect(service?.requests).toEqual([]);
	},
);

it('A download that n8n cannot store is reported as a failure of n8n', async () => {
	await useBinaryMode('filesystem');
	const { localStoragePath: folder } = Container.get(BinaryDataConfig);
	const { error } = await download({
		[DOWNLOAD]: async (request, response) => {
			await rm(folder, { recursive: true });
			await writeFile(folder, 'a file is in the way');
			whole(request, response);
		},
	});
	expect(error?.message).toBe("n8n's storage failed at the file report.bin: not a directory");
	expect(error?.description).toContain('Check the disk');
});
