/** Get Many with Only What Is New: what came since the last successful execution, whatever became of the others. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { openNew } from './newOnlyHost';
import type { StepHost } from './newOnlyHost';
import { byId, PROFILES, startService } from './service';
import type { Service } from './service';

describe.each(PROFILES)('Only What Is New under the profile %s', (profile) => {
	let service: Service;
	beforeAll(async () => {
		service = await startService({ profile });
	});
	afterAll(async () => await service.stop());

	let names = 0;
	const create = async (path: string, fields: IDataObject): Promise<string> =>
		(await service.create(path, fields)).id as string;
	const createDossier = async () => await create('/dossiers', { title: `New ${++names}` });

	const open = async (resource: string, parameters: INodeParameters = {}) =>
		await openNew(service.credential, resource, parameters);
	const ids = async (step: StepHost, ...run: Parameters<StepHost['run']>) =>
		(await step.run(...run)).map(({ json }) => json.id);

	it('begins with the first execution, and gives each record once', async () => {
		await createDossier();
		const step = await open('dossier');
		expect(await ids(step)).toEqual([]);
		expect(await ids(step)).toEqual([]);
		const made = [await createDossier(), await createDossier()];
		expect(await ids(step)).toEqual(made);
		expect(await ids(step)).toEqual([]);
		const later = await createDossier();
		expect(await ids(step)).toEqual([later]);
	});

	it('gives the records of an execution again if it failed later', async () => {
		const step = await open('dossier');
		await step.run({ fails: true });
		const first = await createDossier();
		expect(await ids(step, { fails: true })).toEqual([first]);
		const second = await createDossier();
		expect(await ids(step, { fails: true })).toEqual([first, second]);
		expect(await ids(step)).toEqual([first, second]);
		expect(await ids(step)).toEqual([]);
	});

	it('gives the records of an execution again if n8n was killed in it', async () => {
		const step = await open('dossier');
		await step.runAndDie();
		await step.run();
		const made = await createDossier();
		await step.runAndDie();
		await step.runAndDie();
		expect(await ids(step)).toEqual([made]);
		expect(await ids(step)).toEqual([]);
	});

	it('shows in a manual execution what is new, and takes nothing', async () => {
		const step = await open('dossier', { returnAll: false, limit: 1 });
		const newest = await createDossier();
		expect(await ids(step, { mode: 'manual' })).toEqual([newest]);
		expect(await ids(step)).toEqual([]);
		const made = await createDossier();
		for (const _ of [1, 2]) expect(await ids(step, { mode: 'manual' })).toEqual([made]);
		expect(await ids(step)).toEqual([made]);
		expect(await ids(step, { mode: 'manual' })).toEqual([]);
	});

	it('gives up to a limit, the oldest first, and the rest in the next executions', async () => {
		const step = await open('dossier', { returnAll: false, limit: 2 });
		await step.run();
		const made: string[] = [];
		for (let n = 0; n < 5; n++) made.push(await createDossier());
		expect(await ids(step)).toEqual(made.slice(0, 2));
		expect(await ids(step)).toEqual(made.slice(2, 4));
		expect(await ids(step)).toEqual(made.slice(4));
	});

	it('keeps a position for each list of documents, and begins a later list at the first execution', async () => {
		const [first, second] = [await createDossier(), await createDossier()];
		const upload = async (dossier: string) => {
			names++;
			const content = Buffer.from(String(names)).toString('base64');
			return await create(`/dossiers/${dossier}/documents`, {
				file_name: `${names}.pdf`,
				mime_type: 'application/pdf',
				category: 'invoice',
				content_base64: content,
			});
		};
		await upload(first);
		const step = await open('document', { dossierId: byId('={{ $json.dossier }}') });
		const both = { input: [{ dossier: first }, { dossier: second }] };
		expect(await ids(step, { input: [{ dossier: first }] })).toEqual([]);
		const made = [await upload(first), await upload(second)];
		expect(await ids(step, both)).toEqual(made);
		expect(await ids(step, both)).toEqual([]);
	});

	it('gives only new tasks, portal users and audit log entries, too', async () => {
		const dossier = await createDossier();
		const steps = [await open('task'), await open('portalUser'), await open('auditLog')] as const;
		for (const step of steps) await step.run();
		const task = await create('/tasks', { title: 'T', dossier_id: dossier });
		const person = { first_name: 'A', last_name: 'B', dossier_ids: [dossier] };
		await create('/portal/invite', { email: `new-${profile}@example.com`, ...person });
		expect(await ids(steps[0])).toEqual([task]);
		expect(await steps[1].run()).toMatchObject([{ json: { email: `new-${profile}@example.com` } }]);
		const actions = (await steps[2].run()).map(({ json }) => json.action);
		expect(actions).toHaveLength(2);
		for (const step of steps) expect(await step.run()).toEqual([]);
	});

	it('fails with a sentence if n8n no longer has the last execution', async () => {
		const step = await open('dossier');
		await step.run();
		step.prune();
		await expect(step.run()).rejects.toThrow('n8n no longer has the last execution of this step');
	});
});
