/** Changes that the service makes, but whose answers are lost or cannot be read: none is made twice, and nobody is told to just run them again. */
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { INodeParameters } from 'n8n-workflow';
import {
	answering,
	answerJson,
	readJson,
	refusing,
	sha256,
	shortenPauses,
	useFake,
} from './fakeService.mts';
import type { Handler } from './fakeService.mts';
import { runDossier } from './n8n.mts';
import { carry, get, speaking, uploadTo } from './requests.mts';
import { byId, useService } from './service.mts';
import { callTool } from './tools.mts';

const { service, run, give, count } = useFake();

shortenPauses();

const create: INodeParameters = { resource: 'task', operation: 'create', title: 'Call back' };
const remove: INodeParameters = { resource: 'task', operation: 'delete', taskId: byId('task_1') };

const json = { 'Content-Type': 'application/json' };

const speakAnotherProtocol = (_: unknown, { socket }: ServerResponse) =>
	socket?.end('SSH-2.0-OpenSSH_9\r\n');

const unreadable: Array<[string, Handler]> = [
	['a web page', answering(200, '<html>Sign in</html>', { 'Content-Type': 'text/html' })],
	['JSON that ends in the middle', answering(201, '{"id":"x","title":"Call', json)],
	['null', answering(201, 'null', json)],
	['a failure', answering(500)],
	['a proxy that gave up', answering(504, '<html>', { 'Content-Type': 'text/html' })],
	['a proxy with a status of its own', answering(524)],
	['what is not compressed', answering(201, '{}', { ...json, 'Content-Encoding': 'gzip' })],
	['what is not HTTP', speakAnotherProtocol],
	['a redirect to the result', answering(303, '', { Location: '/v1/tasks/x' })],
];

it.each(unreadable)('A creation that is answered with %s may have succeeded', async (_, answer) => {
	const { error } = await run(create, { handlers: { 'POST /v1/tasks': answer } });
	expect(error?.description).toMatch(/may have succeeded.*Check whether it is there/);
	expect(error?.description).not.toContain('Try again');
	expect(count('POST')).toBe(1);
});

const cut: Handler = (_, response) => {
	response.writeHead(200, { ...json, 'Content-Length': 100 }).write('{"id":"x"');
	setImmediate(() => response.destroy());
};

it.each<[string, Handler]>([
	['gzip without a label', answering(200, gzipSync('{"id":"x"}'), json)],
	['the beginning of a body', cut],
])('A reading that is answered with %s does not send to the address', async (_, answer) => {
	const { error } = await run(get('dos_1'), { handlers: { 'GET /v1/dossiers/dos_1': answer } });
	expect(error?.description).toMatch(/ell those who run/);
	expect(error?.description).not.toContain('address');
});

it.each(unreadable.slice(0, 3))(
	'A reading that is answered with %s leaves no doubt',
	async (_, answer) => {
		const { error } = await run(get('dos_1'), { handlers: { 'GET /v1/dossiers/dos_1': answer } });
		expect(error?.description).toMatch(/Check .*address|Tell those who run/);
		expect(error?.description).not.toContain('may have succeeded');
	},
);

it.each([501, 503])('A service that answers %i has not succeeded', async (status) => {
	const { error } = await run(create, { handlers: { 'POST /v1/tasks': answering(status) } });
	expect(error?.description).toContain('Try again later');
});

it.each(unreadable)('A model is told to look first after %s', async (_, answer) => {
	service.handlers['POST /v1/tasks'] = answer;
	const call = callTool(service.credential, create);
	await expect(call).rejects.toThrow(/Look whether it is there before you call the tool again/);
});

it.each([404, 410])(
	'A deletion is done if its answer is lost and its repetition is answered with %i',
	async (status) => {
		let deletions = 0;
		const handlers: Record<string, Handler> = {
			'DELETE /v1/tasks/task_1': (request, response, asked) =>
				deletions++ ? answering(status)(request, response, asked) : void request.socket.destroy(),
		};
		const { items, error } = await run(remove, { handlers });
		expect(error).toBeUndefined();
		expect(items[0]?.json).toEqual({ id: 'task_1', deleted: true });
		expect(deletions).toBe(2);
	},
);

it('A model that is redirected is not told about an address', async () => {
	const redirect = answering(302, '', { Location: 'https://login.example/' });
	service.handlers['POST /v1/tasks'] = redirect;
	await expect(callTool(service.credential, create)).rejects.toThrow(/Tell the user/);
});

it.each(unreadable)('An upload that is answered with %s is found', async (_, answer) => {
	const documents: object[] = [];
	const handlers: Record<string, Handler> = {
		'GET /v1/dossiers/dos_1/documents': (_request, response) =>
			answerJson(response, 200, { data: documents }),
		'GET /v1/documents/doc_1': (_request, response) => answerJson(response, 200, documents[0]),
		'POST /v1/dossiers/dos_1/documents': async (request, response, asked) => {
			const { content_base64: content, file_name: name } = await readJson(request);
			const bytes = Buffer.from(content as string, 'base64');
			const checksum = sha256(bytes);
			documents.push({
				id: 'doc_1',
				file_name: name,
				size_bytes: bytes.length,
				checksum_sha256: checksum,
			});
			await answer(request, response, asked);
		},
	};
	const upload = uploadTo('dos_1', { ifExists: 'skip' });
	const items = await give(upload, { items: [carry('letter.txt')], handlers });
	expect(items.map(({ json }) => json.id)).toEqual(['doc_1']);
	expect(documents).toHaveLength(1);
});

describe('A creation at a service that recognizes repeated requests', () => {
	const sandbox = useService();

	it('takes effect once, even if n8n runs the node again', async () => {
		const { faults } = sandbox.sandbox;
		await faults.add({ operation: 'dossiers.create', connection: 'while', times: 8 });
		const titles = ['Retried 1', 'Retried 2'];
		const { error, items } = await runDossier({
			parameters: { resource: 'dossier', operation: 'create', title: '={{ $json.title }}' },
			credential: { ...sandbox.credential, ...speaking({ idempotency: { supported: true } }) },
			items: titles.map((title) => ({ json: { title } })),
			retryOnFail: true,
		});
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.title)).toEqual(titles);
		expect(await faults.list()).toMatchObject([{ hits: 8 }]);
		const stored = (await sandbox.list('/dossiers')).map(({ title }) => title);
		expect(stored.sort()).toEqual(titles);
	});

	it.each([
		[409, 'KEY_IN_USE', 'A request with this key is in progress'],
		[401, 'INVALID_API_KEY', 'The key has expired'],
	])('may be done if its answer is lost and its repetition is refused with %i', async (...said) => {
		const [status, code, message] = said;
		const refuse = refusing(status, message, code);
		let documents: object[] = [];
		const handlers: Record<string, Handler> = {
			'GET /v1/dossiers/dos_1/documents': (_request, response) =>
				answerJson(response, 200, { data: documents }),
			'GET /v1/documents/doc_1': (_request, response) => answerJson(response, 200, documents[0]),
			'POST /v1/dossiers/dos_1/documents': async (request, response, asked) => {
				if (documents.length) return refuse(request, response, asked);
				const { file_name } = await readJson(request);
				documents = [{ id: 'doc_1', file_name, size_bytes: 6, checksum_sha256: sha256('letter') }];
				request.socket.destroy();
			},
		};
		const credential = speaking({ idempotency: { supported: true } });
		const upload = async (ifExists: string) =>
			await run(uploadTo('dos_1', { ifExists }), {
				items: [carry('letter.txt', 'letter')],
				handlers,
				credential,
			});
		expect((await upload('skip')).items[0]?.json.id).toBe('doc_1');
		documents = [];
		const { error } = await upload('upload');
		expect(error?.message).toBe(message);
		expect(error?.description).toMatch(/^The service may have succeeded nevertheless/);
	});
});
