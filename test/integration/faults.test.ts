/** A failing service: no record is lost or doubled, and every error is reported at its item. */
import { createHash } from 'node:crypto';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INode,
	INodeParameters,
} from 'n8n-workflow';
import { wallClock } from '../../nodes/Dossier/api/clock';
import { runDossier, useBinaryMode } from './n8n';
import type { BinaryMode, Input } from './n8n';
import { listDossiers } from './requests';
import { byId, startService } from './service';
import type { Service } from './service';

let service: Service;

beforeAll(async () => {
	service = await startService();
});

/** How far the connector's clock is ahead, in ms. It never goes back, because the pacer lives as long as the process. */
let ahead = 0;
/** How long the connector has waited in this test, in ms. */
let waited = 0;
let onWait = () => {};

/** A wait ends at once and moves the connector's clock. */
beforeAll(() => {
	jest.spyOn(wallClock, 'now').mockImplementation(() => Date.now() + ahead);
	jest.spyOn(wallClock, 'sleep').mockImplementation(async (ms) => {
		ahead += ms;
		waited += ms;
		onWait();
		await new Promise((resolve) => setImmediate(resolve));
	});
});

beforeEach(() => {
	waited = 0;
	onWait = () => {};
});

interface Fault {
	hits: number;
	plan: IDataObject;
}

/** Removes the faults, each of which must have struck. */
async function removeFaults(at: Service) {
	const { data } = await at.control<{ data: Fault[] }>('get', '/faults');
	await at.control('delete', '/faults');
	expect(data.filter(({ hits }) => hits === 0)).toEqual([]);
}

afterEach(async () => {
	await removeFaults(service);
});

afterAll(async () => {
	jest.restoreAllMocks();
	await service.stop();
});

const addFault = async (operation: string, plan: IDataObject, at = service) =>
	await at.control('post', '/faults', { operation, ...plan });

/** Hits of each fault, the oldest fault first. */
const countHits = async () => {
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

const findByTitle = async (title: string) =>
	(await service.list('/dossiers')).filter((dossier) => dossier.title === title);

describe.each<BinaryMode>(['filesystem', 'default'])('500 uploads in binary mode %s', (mode) => {
	it('lose and double no document if a fifth of the answers fail, and report each error at its item', async () => {
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
			options: { concurrentRequests: 10 },
		};
		await addFault('documents.upload', { status: 500, probability: 0.06, seed: 1 });
		await addFault('documents.upload', {
			status: 429,
			retry_after: '0',
			probability: 0.06,
			seed: 2,
		});
		await addFault('documents.upload', { connection: 'before', probability: 0.06, seed: 3 });
		await addFault('documents.upload', { connection: 'while', probability: 0.06, seed: 4 });
		await addFault('documents.list', { status: 503, times: 1 });

		const broken = await run(['document', 'upload'], parameters, {
			items,
			onError: 'continueRegularOutput',
		});
		expect(broken.items).toHaveLength(500);
		const failures = broken.items.filter(({ json }) => json.error);
		expect(failures.length).toBeGreaterThan(20);
		const hits = (await countHits()).map(Number);
		expect(hits.reduce((sum, one) => sum + one)).toBeGreaterThan(50);
		broken.items.forEach(({ json, pairedItem }, n) => {
			expect(pairedItem).toEqual({ item: n });
			if (json.error) expect(json.error).toMatchObject({ message: expect.any(String) });
			else expect(json.file_name).toBe(`file ${n}.txt`);
		});

		await removeFaults(service);
		const repeated = await run(['document', 'upload'], parameters, { items });
		expect(repeated.error).toBeUndefined();
		const stored = await service.list(`/dossiers/${id as string}/documents`);
		const identity = ({ file_name: name, checksum_sha256: sum }: IDataObject) =>
			`${name as string} ${sum as string}`;
		expect(stored.map(identity).sort()).toEqual(
			contents
				.map((content, n) => `file ${n}.txt ${createHash('sha256').update(content).digest('hex')}`)
				.sort(),
		);
		await forget();
	});
});

/** The dialect of a service that recognises repeated requests. */
const RECOGNISES = '{"idempotency": {"supported": true}}';

describe('A creation', () => {
	it('is not retried after the connection broke, and the error says what to check', async () => {
		await addFault('dossiers.create', { connection: 'while', times: 1 });
		const { error } = await create('Once at most');
		expect(error?.message).toContain('was broken off');
		expect(error?.description).toContain('may have done its work all the same');
		expect(await findByTitle('Once at most')).toHaveLength(1);
	});

	it('is retried if the service recognises repeated requests', async () => {
		await addFault('dossiers.create', { connection: 'while', times: 1 });
		const credential = {
			...service.credential,
			contractOverrides: true,
			dialect: RECOGNISES,
		};
		const { error, items } = await create('Recognised', credential);
		expect(error).toBeUndefined();
		expect(items[0]?.json.title).toBe('Recognised');
		expect(await findByTitle('Recognised')).toHaveLength(1);
	});

	it('takes effect once if the service recognises repeated requests, even if n8n runs the node again', async () => {
		await addFault('dossiers.create', { connection: 'while', times: 8 });
		const credential = { ...service.credential, contractOverrides: true, dialect: RECOGNISES };
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
		expect(await countHits()).toEqual([8]);
		for (const title of titles) expect(await findByTitle(title)).toHaveLength(1);
	});

	it('is not retried after a server error', async () => {
		await addFault('dossiers.create', { status: 500, times: 1 });
		const { error } = await create('Failed');
		expect(error?.httpCode).toBe('500');
		expect(await findByTitle('Failed')).toHaveLength(0);
	});
});

describe('A read or a deletion', () => {
	it.each([500, 502, 503, 504])('is retried after a status %i', async (status) => {
		const { id } = await service.create('/dossiers', { title: 'Repeated' });
		await addFault('dossiers.get', { status, times: 1 });
		const { error } = await run(['dossier', 'get'], { dossierId: byId(id), output: 'simplified' });
		expect(error).toBeUndefined();
	});

	it('is given up after four attempts', async () => {
		await addFault('dossiers.get', { status: 503, times: 4 });
		const { error } = await run(['dossier', 'get'], {
			dossierId: byId('dos_1'),
			output: 'simplified',
		});
		expect(error?.httpCode).toBe('503');
	});

	it('succeeds as a deletion whose first answer was lost', async () => {
		const { id } = await service.create('/dossiers', { title: 'Deleted' });
		await addFault('dossiers.delete', { connection: 'while', times: 1 });
		const { items, error } = await run(['dossier', 'delete'], { dossierId: byId(id) });
		expect(error).toBeUndefined();
		expect(items[0]?.json).toEqual({ id, deleted: true });
	});
});

describe('A deletion of an unknown dossier', () => {
	const remove = async () => await run(['dossier', 'delete'], { dossierId: byId('dos_never') });

	it('is an error even after a 503, because no earlier deletion can have succeeded', async () => {
		await addFault('dossiers.delete', { status: 503, times: 1 });
		const { error } = await remove();
		expect(error?.httpCode).toBe('404');
		expect(await countHits()).toEqual([1]);
	});
});

describe('An answer that is not from the service', () => {
	const list = async () =>
		await run(['dossier', 'getAll'], { returnAll: true, output: 'simplified', filters: {} });

	it('is reported: a web page', async () => {
		await addFault('dossiers.list', { status: 200, text: '<html>Maintenance</html>' });
		expect((await list()).error?.message).toContain('not as the service does');
	});

	it('is reported: a truncated body', async () => {
		await service.create('/dossiers', { title: 'Cut' });
		await addFault('dossiers.list', { body: 'truncated' });
		expect((await list()).error?.message).toMatch(/not as the service does|broken off/);
	});
});

describe('A refusal by the rate limit', () => {
	it.each([{ retry_after: '1' }, {}])(
		'is followed by a wait and another attempt (%j)',
		async (plan) => {
			await addFault('dossiers.list', { status: 429, times: 2, ...plan });
			const { error } = await run(['dossier', 'getAll'], {
				returnAll: true,
				output: 'simplified',
				filters: {},
			});
			expect(error).toBeUndefined();
			expect(waited).toBeGreaterThan(0);
		},
	);

	it('fails the item if the wait would be too long, and says when to try again', async () => {
		const apart = await startService();
		await apart.control('post', '/faults', {
			operation: 'dossiers.list',
			status: 429,
			retry_after: '600',
		});
		const { items } = await runDossier({
			parameters: listDossiers({ options: { longestWait: 2 } }),
			credential: apart.credential,
			onError: 'continueRegularOutput',
		});
		await removeFaults(apart);
		await apart.stop();
		expect(items[0]?.json.error).toMatchObject({
			code: 'RATE_LIMIT_WAIT_TOO_LONG',
			status: 429,
			message: expect.stringMatching(/^The rate limit is used up until \d{4}-/),
		});
	});
});

it('A service that refuses every request with "Retry-After: 0" is given up', async () => {
	const apart = await startService();
	await apart.control('post', '/faults', {
		operation: 'dossiers.list',
		status: 429,
		retry_after: '0',
	});
	const { error } = await runDossier({
		parameters: listDossiers({ options: { longestWait: 3 } }),
		credential: apart.credential,
	});
	const { data } = await apart.control<{ data: Fault[] }>('get', '/faults');
	await removeFaults(apart);
	await apart.stop();
	expect(error?.httpCode).toBe('429');
	// How long the first wait would be is chosen at random: it may be longer than the longest wait at once.
	const [hits] = data.map((fault) => fault.hits);
	expect(hits).toBeGreaterThan(1);
	expect(hits).toBeLessThan(20);
});

it('Cancelling an execution ends its waits at once', async () => {
	const apart = await startService();
	await apart.control('post', '/faults', {
		operation: 'dossiers.list',
		status: 429,
		retry_after: '60',
	});
	let cancel = () => {};
	const cancelWhen = new Promise<void>((resolve) => (cancel = resolve));
	const running = runDossier({
		parameters: listDossiers(),
		credential: apart.credential,
		cancelWhen,
	}).catch((error: unknown) => error);
	onWait = cancel;
	await running;
	await removeFaults(apart);
	await apart.stop();
	expect(waited).toBeGreaterThan(0);
	expect(waited).toBeLessThan(60_000);
});
