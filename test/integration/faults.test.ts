/** A service that fails: nothing is lost, nothing is done twice, and every failure is reported at its item. */
import { createHash } from 'node:crypto';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INode,
	INodeParameters,
} from 'n8n-workflow';
import { runDossier, useBinaryMode } from './n8n';
import type { BinaryMode, Input } from './n8n';
import { byId, startService } from './service';
import type { Service } from './service';

let service: Service;

beforeAll(async () => {
	service = await startService();
});

afterEach(async () => {
	await service.control('delete', '/faults');
});

afterAll(async () => {
	await service.stop();
});

const fault = async (operation: string, plan: IDataObject) =>
	await service.control('post', '/faults', { operation, ...plan });

/** How often each fault has struck. */
const struck = async () => {
	const { data } = await service.control<{ data: IDataObject[] }>('get', '/faults');
	return data.map(({ hits }) => hits);
};

const run = async (
	[resource, operation]: [string, string],
	parameters: INodeParameters,
	extra: {
		credential?: ICredentialDataDecryptedObject;
		items?: Input[];
		onError?: INode['onError'];
		cancelWhen?: Promise<void>;
	} = {},
) =>
	await runDossier({
		parameters: { resource, operation, ...parameters },
		credential: service.credential,
		...extra,
	});

const create = async (title: string, credential = service.credential) =>
	await run(['dossier', 'create'], { title, fields: {} }, { credential });

const titled = async (title: string) =>
	(await service.list('/dossiers')).filter((dossier) => dossier.title === title);

describe.each<BinaryMode>(['filesystem', 'default'])('500 uploads in binary mode %s', (mode) => {
	it('with a fifth of the answers faulty: none lost, none doubled, each failure at its item', async () => {
		const forget = await useBinaryMode(mode);
		const { id } = await service.create('/dossiers', { title: `Faults ${mode}` });
		const contents = Array.from({ length: 500 }, (_, n) => Buffer.from(`content of ${n}`));
		const items = contents.map((content, n) => ({
			json: { n },
			files: { data: { fileName: `file ${n}.txt`, content } },
		}));
		const parameters: INodeParameters = {
			dossierId: byId(id),
			filesFrom: 'named',
			binaryPropertyName: 'data',
			category: 'other',
			ifExists: 'skip',
			requestOptions: { concurrentRequests: 10 },
		};
		await fault('documents.upload', { status: 500, probability: 0.06, seed: 1 });
		await fault('documents.upload', { status: 429, retry_after: '0', probability: 0.06, seed: 2 });
		await fault('documents.upload', { connection: 'before', probability: 0.06, seed: 3 });
		await fault('documents.upload', { connection: 'while', probability: 0.06, seed: 4 });
		await fault('documents.list', { status: 503, probability: 0.2, seed: 5 });

		const broken = await run(['document', 'upload'], parameters, {
			items,
			onError: 'continueRegularOutput',
		});
		expect(broken.items).toHaveLength(500);
		const failures = broken.items.filter(({ json }) => json.error);
		expect(failures.length).toBeGreaterThan(50);
		broken.items.forEach(({ json, pairedItem }, n) => {
			expect(pairedItem).toEqual({ item: n });
			if (json.error) expect(json.error).toMatchObject({ message: expect.any(String) });
			else expect(json.file_name).toBe(`file ${n}.txt`);
		});

		await service.control('delete', '/faults');
		const mended = await run(['document', 'upload'], parameters, { items });
		expect(mended.error).toBeUndefined();
		const stored = await service.list(`/dossiers/${id as string}/documents`);
		const identity = ({ file_name: name, checksum_sha256: sum }: IDataObject) =>
			`${name as string} ${sum as string}`;
		expect(stored.map(identity).sort()).toEqual(
			contents
				.map((content, n) => `file ${n}.txt ${createHash('sha256').update(content).digest('hex')}`)
				.sort(),
		);
		await forget();
	}, 120_000);
});

describe('What may not be done twice', () => {
	it('is not sent again after a connection that broke, and the error says what to look for', async () => {
		await fault('dossiers.create', { connection: 'while', times: 1 });
		const { error } = await create('Once at most');
		expect(error?.message).toContain('was broken off');
		expect(error?.description).toContain('may have done its work all the same');
		expect(await titled('Once at most')).toHaveLength(1);
	});

	it('is sent again where the service recognises it', async () => {
		await fault('dossiers.create', { connection: 'while', times: 1 });
		const credential = { ...service.credential, contractOverrides: true, idempotency: true };
		const { error, items } = await create('Recognised', credential);
		expect(error).toBeUndefined();
		expect(items[0]?.json.title).toBe('Recognised');
		expect(await titled('Recognised')).toHaveLength(1);
	});

	it('is done once by a service that recognises it, also if n8n runs the node again', async () => {
		await fault('dossiers.create', { connection: 'while', times: 8 });
		const credential = { ...service.credential, contractOverrides: true, idempotency: true };
		const titles = ['Retried 1', 'Retried 2'];
		const { error, items } = await runDossier({
			parameters: {
				resource: 'dossier',
				operation: 'create',
				title: '={{ $json.title }}',
				fields: {},
			},
			credential,
			items: titles.map((title) => ({ json: { title } })),
			retryOnFail: true,
		});
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.title)).toEqual(titles);
		expect(await struck()).toEqual([8]);
		for (const title of titles) expect(await titled(title)).toHaveLength(1);
	}, 60_000);

	it('is not sent again after a failure of the service', async () => {
		await fault('dossiers.create', { status: 500, times: 1 });
		const { error } = await create('Failed');
		expect(error?.httpCode).toBe('500');
		expect(await titled('Failed')).toHaveLength(0);
	});
});

describe('What may be repeated', () => {
	it.each([500, 502, 503, 504])('is, after a status %i', async (status) => {
		const { id } = await service.create('/dossiers', { title: 'Repeated' });
		await fault('dossiers.get', { status, times: 1 });
		const { error } = await run(['dossier', 'get'], { dossierId: byId(id), simplify: true });
		expect(error).toBeUndefined();
	});

	it('is given up after four tries', async () => {
		await fault('dossiers.get', { status: 503, times: 4 });
		const { error } = await run(['dossier', 'get'], { dossierId: byId('dos_1'), simplify: true });
		expect(error?.httpCode).toBe('503');
	}, 60_000);

	it('is a deletion whose answer got lost', async () => {
		const { id } = await service.create('/dossiers', { title: 'Deleted' });
		await fault('dossiers.delete', { connection: 'while', times: 1 });
		const { items, error } = await run(['dossier', 'delete'], { dossierId: byId(id) });
		expect(error).toBeUndefined();
		expect(items[0]?.json).toEqual({ id, deleted: true });
	});
});

describe('A deletion of what was never there', () => {
	const remove = async () => await run(['dossier', 'delete'], { dossierId: byId('dos_never') });

	it('is an error after 503, which no deletion can have given', async () => {
		await fault('dossiers.delete', { status: 503, times: 1 });
		const { error } = await remove();
		expect(error?.httpCode).toBe('404');
		expect(await struck()).toEqual([1]);
	});
});

describe('Answers that are none', () => {
	const list = async () =>
		await run(['dossier', 'getAll'], { returnAll: true, simplify: true, filters: {} });

	it('are reported: a web page', async () => {
		await fault('dossiers.list', { status: 200, text: '<html>Maintenance</html>' });
		expect((await list()).error?.message).toContain('not as the service does');
	});

	it('are reported: a body that ends early', async () => {
		await service.create('/dossiers', { title: 'Cut' });
		await fault('dossiers.list', { body: 'truncated' });
		expect((await list()).error?.message).toMatch(/not as the service does|broken off/);
	}, 60_000);
});

describe('The rate limit of the service', () => {
	it.each([{ retry_after: '1' }, {}])(
		'is waited for, %j',
		async (plan) => {
			await fault('dossiers.list', { status: 429, times: 2, ...plan });
			const { error } = await run(['dossier', 'getAll'], {
				returnAll: true,
				simplify: true,
				filters: {},
			});
			expect(error).toBeUndefined();
		},
		60_000,
	);

	it('that lasts longer than is allowed ends the item, with the moment from which on it fits', async () => {
		const apart = await startService();
		await apart.control('post', '/faults', {
			operation: 'dossiers.list',
			status: 429,
			retry_after: '600',
		});
		const { items } = await runDossier({
			parameters: {
				resource: 'dossier',
				operation: 'getAll',
				returnAll: true,
				simplify: true,
				filters: {},
				requestOptions: { longestWait: 2 },
			},
			credential: apart.credential,
			onError: 'continueRegularOutput',
		});
		await apart.stop();
		expect(items[0]?.json.error).toMatchObject({
			code: 'RATE_LIMIT_WAIT_TOO_LONG',
			status: 429,
			message: expect.stringMatching(/^The rate limit is used up until \d{4}-/),
		});
	});
});

it('A service that refuses for ever, and always says "at once", is given up', async () => {
	const apart = await startService();
	await apart.control('post', '/faults', {
		operation: 'dossiers.list',
		status: 429,
		retry_after: '0',
	});
	const { error } = await runDossier({
		parameters: {
			resource: 'dossier',
			operation: 'getAll',
			returnAll: true,
			simplify: true,
			filters: {},
			requestOptions: { longestWait: 3 },
		},
		credential: apart.credential,
	});
	await apart.stop();
	expect(error?.httpCode).toBe('429');
}, 60_000);

it('A cancelled execution ends its waits at once', async () => {
	const apart = await startService();
	await apart.control('post', '/faults', {
		operation: 'dossiers.list',
		status: 429,
		retry_after: '60',
	});
	let cancel = () => {};
	const cancelWhen = new Promise<void>((resolve) => (cancel = resolve));
	const running = runDossier({
		parameters: {
			resource: 'dossier',
			operation: 'getAll',
			returnAll: true,
			simplify: true,
			filters: {},
		},
		credential: apart.credential,
		cancelWhen,
	}).catch((error: unknown) => error);
	setTimeout(cancel, 500);
	// It would wait for a minute; the test's own limit is shorter.
	await running;
	await apart.stop();
}, 20_000);
