/** Uploads of files that change or come from a web address, and how it is found out which format a service takes. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import waitFor from 'p-wait-for';
import type { INodeParameters } from 'n8n-workflow';
import {
	answering,
	answerJson,
	answerRange,
	breakAt,
	readBody,
	refusing,
	sha256,
	shortenPauses,
	useFake,
} from './fakeService.mts';
import type { Handler, Handlers } from './fakeService.mts';
import { useBinaryMode } from './n8n.mts';
import type { BinaryMode, Input } from './n8n.mts';
import { uploadTo } from './requests.mts';

const UPLOAD = 'POST /v1/dossiers/dos_1/documents';

const LIST = 'GET /v1/dossiers/dos_1/documents';

const { service, run } = useFake();
/** The files that the service has stored. */
let stored: Buffer[] = [];

const store: Handler = async (request, response) => {
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
	service.handlers[LIST] = { data: [] };
});

const upload = async (
	handlers: Handlers,
	items: Input[],
	parameters: INodeParameters = {},
	onError?: 'continueRegularOutput',
) => {
	const options = { format: 'json' };
	return await run(uploadTo('dos_1', { options, ...parameters }), { handlers, items, onError });
};

const file = (content: Buffer, mimeType?: string): Input => ({
	json: {},
	files: { data: { fileName: 'report.bin', content, mimeType } },
});

describe.each<BinaryMode>(['filesystem', 'default'])('In binary mode %s, an upload', (mode) => {
	beforeAll(async () => await useBinaryMode(mode));

	describe('from a web address', () => {
		const content = randomBytes(300_000);

		const fromAddress = async (answer: Handler, parameters: INodeParameters = {}) => {
			const other = { file_name: 'file', checksum_sha256: 'f'.repeat(64) };
			const sizes = [9, content.length];
			const data = sizes.map((size_bytes, n) => ({ id: `doc_${n}`, ...other, size_bytes }));
			return await upload(
				{ [LIST]: { data }, [UPLOAD]: store, 'GET /file': answer },
				[{ json: {} }],
				{ filesFrom: 'url', fileUrl: `${service.url}/file`, ...parameters },
			);
		};

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

		it.each([
			['is still prepared', 202, {}],
			['comes from a cache that holds a part', 206, { 'Content-Range': 'bytes 0-99/300000' }],
		])('is not stored if it %s', async (_, status, headers) => {
			const { error } = await fromAddress(answering(status, 'x'.repeat(100), headers));
			expect(error?.message).toContain(`(status ${status})`);
			expect(stored).toEqual([]);
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
			await waitFor(async () => (await service.connections()) === 0, { timeout: 30_000 });
		});
	});
});

describe('As long as it is unknown which format a service takes', () => {
	const bodies: string[] = [];
	let underWay = 0;
	let mostUnderWay = 0;

	/** Reads each body to its end, and takes those of one type. */
	const takeOnly =
		(taken: string): Handler =>
		async (request, response, asked) => {
			mostUnderWay = Math.max(mostUnderWay, ++underWay);
			await readBody(request);
			const type = request.headers['content-type']?.split(';')[0] ?? '';
			bodies.push(type);
			// Without a pause, the next file is sent before several are under way.
			await delay(20);
			underWay--;
			if (type === taken) answerJson(response, 201, { id: `doc_${bodies.length}` });
			else refusing(415, 'No')(request, response, asked);
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
		const refuseFirst: Handler = async (request, ...rest) => {
			if (refused++ > 0) return await takeOnly(form)(request, ...rest);
			await readBody(request);
			return refusing(413, 'Too large')(request, ...rest);
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
		const picky: Handler = async (request, response, asked) => {
			const type = request.headers['content-type']?.split(';')[0] ?? '';
			formats.push(type);
			const body = await readBody(request);
			if (!body.includes('application/x-odd')) return answerJson(response, 201, { id: 'doc_1' });
			const message = type === 'application/json' ? 'No such files here' : 'Cannot read this';
			return refusing(415, message)(request, response, asked);
		};
		const { items } = await upload(
			{ [UPLOAD]: picky },
			[file(Buffer.from('odd'), 'application/x-odd'), file(Buffer.from('usual'), 'text/plain')],
			{ options: { format: 'auto', concurrentRequests: 1 } },
			'continueRegularOutput',
		);
		expect(items.map(({ json }) => json.error ?? json.id)).toEqual([
			expect.objectContaining({ message: 'report.bin: No such files here', status: 415 }),
			'doc_1',
		]);
		expect(formats).toEqual(['application/json', 'multipart/form-data', 'application/json']);
	});
});
