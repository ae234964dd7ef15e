/** What the node tells of a run in hints above the output, because the output does not show it. */
import type { IDataObject } from 'n8n-workflow';
import { describeRun } from '../../nodes/Dossier/execution/hints';
import { useBinaryMode } from './n8n';
import { runOn, uploadTo } from './requests';
import type { Request } from './requests';
import { withServer } from './servers';
import { PROFILES, startService } from './service';
import type { Service } from './service';

let service: Service;
let forget: () => Promise<void>;

beforeAll(async () => {
	service = await startService();
	forget = await useBinaryMode('filesystem');
});

afterAll(async () => {
	await service.stop();
	await forget();
});

const run = async (...request: Request) => await runOn(service, ...request);

it('files that the dossier has already are counted', async () => {
	const { id } = await service.create('/dossiers', { title: 'Has them' });
	const names = ['a.txt', 'b.txt', 'c.txt'];
	const items = names.map((fileName) => ({
		json: {},
		files: { data: { fileName, content: Buffer.from(fileName) } },
	}));
	const parameters = uploadTo(id as string, { ifExists: 'skip' });
	expect((await run(parameters, { items: items.slice(0, 2) })).hints).toEqual([]);
	const again = await run(parameters, { items });
	expect(again.items.map(({ json }) => json.skipped ?? false)).toEqual([true, true, false]);
	expect(again.hints).toEqual(['Files skipped, because the dossier has them already: 2']);
});

it.each(PROFILES)(
	'a hint says that a list goes on after its limit, under the profile %s',
	async (profile) => {
		const own = await startService({ profile });
		try {
			for (let n = 0; n < 5; n++) await own.create('/dossiers', { title: `Dossier ${n}` });
			const list = async (limit: number) =>
				await runOn(own, { resource: 'dossier', operation: 'getAll', limit, returnAll: false });
			const cut = await list(3);
			expect(cut.items).toHaveLength(3);
			expect(cut.hints).toEqual([expect.stringContaining("more records than 'Limit' allows")]);
			const whole = await list(6);
			expect(whole.items).toHaveLength(5);
			expect(whole.hints).toEqual([]);
		} finally {
			await own.stop();
		}
	},
);

it('a wait for the rate limit of five seconds or more is mentioned, together with the other hints', () => {
	expect(describeRun(new Map(), 4_999)).toEqual([]);
	expect(describeRun(new Map([['skipped', 1]]), 73_600)).toEqual([
		{ message: 'Waited 74 s for the rate limit', type: 'info', location: 'outputPane' },
		{
			message: 'Files skipped, because the dossier has them already: 1',
			type: 'info',
			location: 'outputPane',
		},
	]);
});

describe('An operation that needs no credential', () => {
	const health = { resource: 'service', operation: 'checkHealth' };

	it('finds the service at the address in the credential, and sends no key', async () => {
		const seen: IDataObject[] = [];
		await withServer(
			({ headers }, response) => {
				seen.push(headers);
				response.setHeader('Content-Type', 'application/json');
				response.end('{"status": "ok"}');
			},
			async (url) => {
				const credential = { ...service.credential, baseUrl: `${url}/v1` };
				const { items, error } = await run(health, { credential });
				expect(error).toBeUndefined();
				expect(items[0]?.json).toMatchObject({ status: 'ok' });
			},
		);
		expect(seen).toHaveLength(1);
		expect(seen[0]).not.toHaveProperty('authorization');
	});

	it('finds it at the address in the form', async () => {
		const parameters = { ...health, baseUrlFrom: 'form', baseUrl: service.url };
		expect((await run(parameters)).items[0]?.json).toMatchObject({ status: 'ok' });
	});
});

it('a refusal says everything once, and names fields as the form does', async () => {
	const body = {
		error: {
			code: 'VALIDATION_ERROR',
			message: 'Another dossier has this reference.',
			status: 422,
			details: [
				{ field: 'reference', message: 'Another dossier has this reference' },
				{ field: 'contact.email', message: 'is not an email address' },
			],
		},
	};
	await withServer(
		(_, response) => {
			response.writeHead(422, { 'Content-Type': 'application/json' });
			response.end(JSON.stringify(body));
		},
		async (url) => {
			const { error } = await run(
				{ resource: 'dossier', operation: 'create', title: 'X', fields: {} },
				{ credential: { ...service.credential, baseUrl: `${url}/v1` } },
			);
			expect(error?.message).toBe(
				"Another dossier has this reference ('Contact Email': is not an email address)",
			);
		},
	);
});

it('a reference that is taken leads to the operation that changes its dossier', async () => {
	const create = async () =>
		await run({
			resource: 'dossier',
			operation: 'create',
			title: 'Twice',
			fields: { reference: 'taken' },
		});
	await create();
	const { error } = await create();
	expect(error?.message.match(/has this reference/g)).toHaveLength(1);
	expect(error?.description).toContain("'Create or Update'");
});
