/** Uploads of files that change or come from a web address, and how it is found out which format a service takes. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import waitFor from 'p-wait-for';
import type { INodeParameters } from 'n8n-workflow';
import {
	answerJson,
	answerRange,
	breakAt,
	readBody,
	sha256,
	shortenPauses,
	startFake,
} from './fakeService';
import type { FakeService } from './fakeService';
import { runDossier, useBinaryMode } from './n8n';
import type { BinaryMode, Input } from './n8n';
import { uploadTo } from './requests';

const UPLOAD = 'POST /v1/dossiers/dos_1/documents';

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

let service: FakeService | undefined;
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

shortenPauses();

beforeEach(() => {
	stored = [];
});

afterEach(async () => {
	await service?.stop();
	service = undefined;
});

async function upload(
	handlers: Record<string, Answer>,
	items: Input[],
	parameters: INodeParameters = {},
	onError?: 'continueRegularOutput',
) {
	service ??= await startFake({
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

describe.each<BinaryMode>(['filesystem', 'default'])('In binary mode %s, an upload', (mode) => {
	beforeAll(async () => await useBinaryMode(mode));

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
			service = await startFake({
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
			await waitFor(async () => (await service?.connections()) === 0, { timeout: 30_000 });
		});
	});
});

describe('As long as it is unknown which format a service takes', () => {
	const bodies: string[] = [];
	let underWay = 0;
	let mostUnderWay = 0;

	/** Reads each body to its end, and takes those of one type. */
	const takeOnly =
		(taken: string): Answer =>
		async (request, response) => {
			mostUnderWay = Math.max(mostUnderWay, ++underWay);
			await readBody(request);
			const type = request.headers['content-type']?.split(';')[0] ?? '';
			bodies.push(type);
			// Without a pause, the next file is sent before several are under way.
			await delay(20);
			underWay--;
			if (type === taken) answerJson(response, 201, { id: `doc_${bodies.length}` });
			else answerJson(response, 415, { error: { code: 'UNSUPPORTED_MEDIA_TYPE', message: 'No' } });
		};

	const files = Array.from({ length: 16 }, () => file(randomBytes(1_000)));

	beforeEach(() => {
		bodies.length = 0;
		underWay = 0;
		mostUnderWay = 0;
	});

	it('one of 16 files is sent twice to one that takes forms only', async () => {
		const form = 'multipart/form-data';
		const { items, error } = await upload({ [UPLOAD]: takeOnly(form) }, files, { options: {} });
		expect(error).toBeUndefined();
		expect(items).toHaveLength(16);
		expect(bodies.slice(0, 2)).toEqual(['application/json', form]);
		expect(bodies.slice(2)).toEqual(Array(15).fill(form));
		expect(mostUnderWay).toBeGreaterThan(1);
	});

	it('none is sent twice to one that takes JSON', async () => {
		const json = 'application/json';
		const { items } = await upload({ [UPLOAD]: takeOnly(json) }, files, { options: {} });
		expect(items).toHaveLength(16);
		expect(bodies).toEqual(Array(16).fill(json));
		expect(mostUnderWay).toBeGreaterThan(1);
	});

	it('the next file finds it out if the first one is refused for itself', async () => {
		let refused = 0;
		const form = 'multipart/form-data';
		const refuseFirst: Answer = async (request, response) => {
			if (refused++ > 0) return await takeOnly(form)(request, response);
			await readBody(request);
			return answerJson(response, 413, { error: { code: 'TOO_LARGE', message: 'Too large' } });
		};
		const continued = 'continueRegularOutput';
		const { items } = await upload({ [UPLOAD]: refuseFirst }, files, { options: {} }, continued);
		expect(items.filter(({ json }) => json.error)).toHaveLength(1);
		expect(bodies.filter((type) => type === 'application/json')).toHaveLength(1);
		expect(bodies).toHaveLength(16);
	});
});

describe('A file whose type the service does not take in any format', () => {
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
