/** Document: Synchronize, which makes dossiers hold the files of the items. */
import { ServerResponse } from 'node:http';
import type { INodeParameters } from 'n8n-workflow';
import { sha256, shortenPauses } from './fakeService.mts';
import { runDossier } from './n8n.mts';
import type { Input } from './n8n.mts';
import { PROFILES, useService } from './service.mts';
import { exactly, files, item, synchronize, tell, useSynchronized } from './synchronizing.mts';

describe.each(PROFILES)('Synchronize, under the profile %s', (profile) => {
	const service = useService({ profile });

	const newDossier = async () =>
		(await service.create('/dossiers', { title: 'Synchronized' })).id as string;

	const run = async (parameters: INodeParameters, items: Input[]) =>
		await runDossier({ parameters, credential: service.credential, items });

	/** The name and the SHA-256 of each document. */
	const contents = async (dossier: string) =>
		(await service.list(`/dossiers/${encodeURIComponent(dossier)}/documents`))
			.map((one) => [one.file_name, one.checksum_sha256])
			.sort();

	const wanted = (texts: Record<string, string>) =>
		Object.entries(texts)
			.map(([name, text]) => [name, sha256(text)])
			.sort();

	it('uploads what is new, replaces what changed, and leaves what is equal, in several dossiers', async () => {
		const [one, two] = [await newDossier(), await newDossier()];
		const first = await run(synchronize(), [
			...files(one, { 'Übersicht.txt': 'a', 'b.txt': 'b' }),
			...files(two, { 'b.txt': 'other' }),
		]);
		expect(first.error).toBeUndefined();
		expect(tell(first.items)).toEqual([
			['b.txt', 'uploaded'],
			['b.txt', 'uploaded'],
			['Übersicht.txt', 'uploaded'],
		]);
		const second = await run(synchronize(), [
			...files(one, { 'Übersicht.txt': 'a', 'b.txt': 'changed', 'c.txt': 'c' }),
			...files(two, { 'd.txt': 'd' }),
		]);
		expect(second.error).toBeUndefined();
		expect(second.items.map(({ json, pairedItem }) => [json.action, pairedItem])).toEqual([
			['unchanged', { item: 0 }],
			['replaced', { item: 1 }],
			['uploaded', { item: 2 }],
			['uploaded', { item: 3 }],
			// It comes from no file, but from all items for its dossier.
			['kept', [{ item: 3 }]],
		]);
		expect(await contents(one)).toEqual(
			wanted({ 'Übersicht.txt': 'a', 'b.txt': 'changed', 'c.txt': 'c' }),
		);
		expect(await contents(two)).toEqual(wanted({ 'b.txt': 'other', 'd.txt': 'd' }));
	});

	it.each([
		['kept', synchronize()],
		['kept', synchronize({ dryRun: true })],
		['deleted', exactly(1)],
		['deleted', exactly(1, { dryRun: true })],
	])('pairs a document that is %s with all items for its dossier', async (action, parameters) => {
		const [one, two] = [await newDossier(), await newDossier()];
		await run(synchronize(), files(one, { 'old.txt': 'old' }));
		const [first, second] = files(one, { 'a.txt': 'a', 'b.txt': 'b' });
		const other = files(two, { 'c.txt': 'c' });
		const items = [first, ...other, second].flatMap((item) => item ?? []);
		const { items: outputs } = await run(parameters, items);
		const old = outputs.find(({ json }) => json.file_name === 'old.txt');
		expect(old).toMatchObject({ json: { action }, pairedItem: [{ item: 0 }, { item: 2 }] });
	});

	it('deletes what is not among the files, if that is asked for, and does nothing the next time', async () => {
		const dossier = await newDossier();
		await run(synchronize(), files(dossier, { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' }));
		const { items, error } = await run(exactly(2), files(dossier, { 'c.txt': 'new' }));
		expect(error).toBeUndefined();
		expect(tell(items)).toEqual([
			['a.txt', 'deleted'],
			['b.txt', 'deleted'],
			['c.txt', 'replaced'],
		]);
		expect(await contents(dossier)).toEqual(wanted({ 'c.txt': 'new' }));
		const again = await run(exactly(0), files(dossier, { 'c.txt': 'new' }));
		expect(tell(again.items)).toEqual([['c.txt', 'unchanged']]);
	});

	it('changes nothing in a dry run, and says what it would do', async () => {
		const dossier = await newDossier();
		const before = { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' };
		await run(synchronize(), files(dossier, before));
		const now = { 'b.txt': 'b', 'c.txt': 'new', 'd.txt': 'd' };
		const dry = await run(exactly(1, { dryRun: true }), files(dossier, now));
		expect(tell(dry.items)).toEqual([
			['a.txt', 'deleted'],
			['b.txt', 'unchanged'],
			['c.txt', 'replaced'],
			['d.txt', 'uploaded'],
		]);
		expect(dry.items.every(({ json }) => json.dry_run === true)).toBe(true);
		expect(dry.hints).toEqual([
			`Dry run in organization ${service.organization.id} (test data), nothing was written. The plan: 1 uploaded, 1 replaced, 1 deleted, 1 unchanged`,
		]);
		expect(dry.items.filter(({ binary }) => binary)).toEqual([]);
		expect(await contents(dossier)).toEqual(wanted(before));
		const { items } = await run(exactly(1), files(dossier, now));
		expect(tell(items)).toEqual(tell(dry.items));
		const how = [dry.items, items].map((some) => some.map(({ json }) => json.compared_by));
		expect(how[0]?.filter(Boolean)).toEqual(['checksum']);
		expect(how[1]?.filter(Boolean)).toEqual(['checksum']);
	});

	it('shows in a dry run what would be refused, and by what', async () => {
		const dossier = await newDossier();
		await run(synchronize(), files(dossier, { 'a.txt': 'a', 'b.txt': 'b' }));
		const given = files(dossier, { 'c.txt': 'c' });
		const dry = await run(exactly(1, { dryRun: true }), given);
		expect(dry.error).toBeUndefined();
		expect(tell(dry.items)).toEqual([
			['a.txt', 'deleted'],
			['b.txt', 'deleted'],
			['c.txt', 'uploaded'],
		]);
		expect(new Set(dry.items.map(({ json }) => json.refused))).toEqual(
			new Set(['Would be refused: 2 to delete, more than Delete at Most (1)']),
		);
		expect(dry.hints).toEqual([
			`Dry run in organization ${service.organization.id} (test data), nothing was written. A real run would be refused: 2 to delete, more than Delete at Most (1). The plan: 1 uploaded, 2 deleted`,
		]);
		const { error } = await run(exactly(1), given);
		expect(error?.message).toMatch(
			/^2 documents of the dossier are not among the files, and at most 1 may be deleted: [ab]\.txt, [ab]\.txt/,
		);
		expect(error?.description).toContain("raise 'Delete at Most'");
		expect(await contents(dossier)).toEqual(wanted({ 'a.txt': 'a', 'b.txt': 'b' }));
	});

	it('gives the plan in a dry run, too, if several files have one name', async () => {
		const dossier = await newDossier();
		await run(synchronize(), files(dossier, { 'a.txt': 'a' }));
		const scans = ['1', '2'].map((text) => item(dossier, 'scan.txt', text));
		const given = [...scans, item(dossier, 'a.txt', 'a')];
		const dry = await run(exactly(1, { dryRun: true }), given);
		expect(dry.error).toBeUndefined();
		expect(tell(dry.items)).toEqual([
			['a.txt', 'unchanged'],
			['scan.txt', 'uploaded'],
			['scan.txt', 'uploaded'],
		]);
		expect(new Set(dry.items.map(({ json }) => json.refused))).toEqual(
			new Set(['Would be refused: several files are named scan.txt']),
		);
		expect((await run(exactly(1), given)).error?.message).toContain('Two files named scan.txt');
		expect(await contents(dossier)).toEqual(wanted({ 'a.txt': 'a' }));
	});

	it('gives a new version the category, the title and the custom fields of the old one', async () => {
		const dossier = await newDossier();
		const options = {
			title: 'Assessment 2025',
			customFields: { field: [{ name: 'box', value: 7 }] },
		};
		await run(synchronize({ category: 'tax', options }), files(dossier, { 'a.txt': 'a' }));
		const { items } = await run(synchronize(), files(dossier, { 'a.txt': 'new' }));
		expect(items[0]?.json).toMatchObject({
			action: 'replaced',
			category: 'tax',
			title: 'Assessment 2025',
			custom_fields: { box: 7 },
			replaced: { checksum_sha256: sha256('a') },
		});
	});
});

describe('Synchronize, in runs and connections that break off,', () => {
	shortenPauses();

	const { service, run, contents, has } = useSynchronized();

	// No buffer of the system takes so much of it that the connection breaks only afterwards
	const large = 'x'.repeat(8_000_000);
	const sizes = () => [...service.documents.values()].map(({ content }) => content.length);

	it('leaves the whole file alone in the dossier, with the next run, if a part of it was stored', async () => {
		service.habits.cutUploads = [300_000];
		const items = files('dos_1', { 'a.bin': large });
		const first = await run(synchronize(), items);
		expect(first.error?.description).toContain('may have succeeded');
		expect(sizes()).toHaveLength(1);
		const second = await run(synchronize(), items);
		expect(tell(second.items)).toEqual([['a.bin', 'replaced']]);
		expect(contents()).toEqual([['a.bin', large]]);
	});

	it('does not take for a file that broke off the document of another one, or one that was there', async () => {
		service.habits.nameFile = (name) => name.replace(/[ -]/g, '_');
		// The stored file is as long, so that only its content tells them apart
		has('a_b.txt', large.replace('x', 'y'));
		service.habits.cutUploads = [undefined, 300_000];
		const items = files('dos_1', { 'a b.txt': large, 'a-b.txt': large });
		const parameters = synchronize({ options: { concurrentRequests: 1 } });
		const { error } = await run(parameters, items);
		expect(error?.message).toContain('a-b.txt: ');
		expect(error?.description).toContain('may have succeeded');
		expect(contents().filter(([, text]) => text === large)).toHaveLength(1);
		expect(tell((await run(parameters, items)).items)).toContainEqual(['a_b.txt', 'uploaded']);
		expect(contents().filter(([, text]) => text === large)).toHaveLength(2);
	});

	// As if n8n were killed: the run ends at one of its seven writes, which was carried out or was not.
	const breaks = [1, 2, 3, 4, 5, 6, 7].flatMap((write) =>
		[false, true].map((isDone) => ({ write, isDone })),
	);

	it.each(breaks)(
		'is completed by the next run if it ends at write $write, carried out: $isDone',
		async (broken) => {
			has('a.txt', 'old');
			has('b.txt', 'old');
			has('gone.txt', 'gone');
			has('gone too.txt', 'gone');
			const items = files('dos_1', { 'a.txt': 'new', 'b.txt': 'newer', 'c.txt': 'c' });
			const { handlers } = service;
			const whole = { ...handlers };
			let left = broken.write;
			const cancelWhen = new Promise<void>((cancel) => {
				for (const [route, handler] of Object.entries(whole)) {
					if (route.startsWith('GET')) continue;
					handlers[route] = async (request, response, asked) => {
						if (--left > 0) return await handler(request, response, asked);
						// Nothing that is written to a response without a connection reaches anybody.
						if (left === 0 && broken.isDone)
							await handler(request, new ServerResponse(request), asked);
						cancel();
						return request.socket.destroy();
					};
				}
			});
			const parameters = exactly(2, { options: { concurrentRequests: 1 } });
			await run(parameters, items, { cancelWhen }).catch(() => undefined);
			expect(left).toBeLessThanOrEqual(0);
			Object.assign(handlers, whole);

			const { error } = await run(parameters, items);
			expect(error).toBeUndefined();
			expect(contents()).toEqual([
				['a.txt', 'new'],
				['b.txt', 'newer'],
				['c.txt', 'c'],
			]);
			const third = await run(parameters, items);
			expect(third.items.map(({ json }) => json.action)).toEqual(Array(3).fill('unchanged'));
		},
	);
});
