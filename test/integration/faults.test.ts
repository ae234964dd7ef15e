/** A failing service: no record is lost or doubled, and every error is reported at its item. */
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INode,
	INodeParameters,
} from 'n8n-workflow';
import { sha256 } from './fakeService';
import { useJumpingClock } from './jumpingClock';
import { runDossier, useBinaryMode } from './n8n';
import type { Input } from './n8n';
import { byId, useService } from './service';

const service = useService();

useJumpingClock();

/** Hits of each fault, the oldest fault first. */
const countHits = async (): Promise<number[]> => {
	const { data } = await service.control<{ data: Array<{ hits: number }> }>('get', '/faults');
	return data.map(({ hits }) => hits);
};

/** Removes the faults, each of which must have struck. */
async function removeFaults() {
	const hits = await countHits();
	await service.control('delete', '/faults');
	expect(hits).not.toContain(0);
}

afterEach(removeFaults);

const addFault = async (operation: string, plan: IDataObject) =>
	await service.control('post', '/faults', { operation, ...plan });

const run = async (
	[resource, operation]: [string, string],
	parameters: INodeParameters,
	extra: {
		credential?: ICredentialDataDecryptedObject;
		items?: Input[];
		onError?: INode['onError'];
	} = {},
) =>
	await runDossier({
		parameters: { resource, operation, ...parameters },
		credential: service.credential,
		...extra,
	});

const findByTitle = async (title: string) =>
	(await service.list('/dossiers')).filter((dossier) => dossier.title === title);

it('150 uploads lose and double no document if a fifth of the answers fail, and report each error at its item', async () => {
	await useBinaryMode('filesystem');
	const { id } = await service.create('/dossiers', { title: 'Faults' });
	const contents = Array.from({ length: 150 }, (_, n) => Buffer.from(`content of ${n}`));
	const items = contents.map((content, n) => ({
		json: { n },
		files: { data: { fileName: `file ${n}.txt`, content } },
	}));
	const parameters: INodeParameters = {
		dossierId: byId(id),
		category: 'other',
		ifExists: 'skip',
		options: { concurrentRequests: 10 },
	};
	await addFault('documents.upload', { status: 500, probability: 0.1, seed: 1 });
	const limited = { status: 429, retry_after: '0' };
	await addFault('documents.upload', { ...limited, probability: 0.07, seed: 2 });
	// Rare, because a repeated upload then waits for a second of real time after its first piece.
	await addFault('documents.upload', { connection: 'before', probability: 0.01, seed: 3 });
	await addFault('documents.upload', { connection: 'while', probability: 0.06, seed: 4 });
	await addFault('documents.list', { status: 503, times: 1 });

	const broken = await run(['document', 'upload'], parameters, {
		items,
		onError: 'continueRegularOutput',
	});
	expect(broken.items).toHaveLength(150);
	const failures = broken.items.filter(({ json }) => json.error);
	expect(failures.length).toBeGreaterThan(10);
	const hits = await countHits();
	expect(hits.reduce((sum, one) => sum + one)).toBeGreaterThan(20);
	broken.items.forEach(({ json, pairedItem }, n) => {
		expect(pairedItem).toEqual({ item: n });
		if (json.error) expect(json.error).toMatchObject({ message: expect.any(String) });
		else expect(json.file_name).toBe(`file ${n}.txt`);
	});

	await removeFaults();
	const repeated = await run(['document', 'upload'], parameters, { items });
	expect(repeated.error).toBeUndefined();
	const stored = await service.list(`/dossiers/${id as string}/documents`);
	const identity = ({ file_name: name, checksum_sha256: sum }: IDataObject) =>
		`${name as string} ${sum as string}`;
	expect(stored.map(identity).sort()).toEqual(
		contents.map((content, n) => `file ${n}.txt ${sha256(content)}`).sort(),
	);
}, 180_000);

/** The dialect of a service that recognises repeated requests. */
const RECOGNISES = '{"idempotency": {"supported": true}}';

describe('A creation', () => {
	it('takes effect once if the service recognises repeated requests, even if n8n runs the node again', async () => {
		await addFault('dossiers.create', { connection: 'while', times: 8 });
		const credential = { ...service.credential, contractOverrides: true, dialect: RECOGNISES };
		const titles = ['Retried 1', 'Retried 2'];
		const { error, items } = await runDossier({
			parameters: { resource: 'dossier', operation: 'create', title: '={{ $json.title }}' },
			credential,
			items: titles.map((title) => ({ json: { title } })),
			retryOnFail: true,
		});
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.title)).toEqual(titles);
		expect(await countHits()).toEqual([8]);
		for (const title of titles) expect(await findByTitle(title)).toHaveLength(1);
	});
});

it('A deletion of an unknown dossier is an error even after a 503, because no earlier one can have succeeded', async () => {
	await addFault('dossiers.delete', { status: 503, times: 1 });
	const { error } = await run(['dossier', 'delete'], { dossierId: byId('dos_never') });
	expect(error?.httpCode).toBe('404');
	expect(await countHits()).toEqual([1]);
});
