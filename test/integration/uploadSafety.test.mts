/** An upload loses, doubles and deletes nothing, even at a service that leaves out whatever it may. */
import type { INodeParameters } from 'n8n-workflow';
import { toText } from '../../nodes/Dossier/api/json';
import { refusing } from './fakeService.mts';
import { useBinaryMode } from './n8n.mts';
import type { Input } from './n8n.mts';
import { usePlainService } from './plainService.mts';
import type { PlainService } from './plainService.mts';
import { carry, uploadTo } from './requests.mts';
import { byId } from './service.mts';

beforeAll(async () => await useBinaryMode('default'));

const { service, run, count } = usePlainService();

beforeEach(() => {
	service.dossiers.set('dos_1', { id: 'dos_1', title: 'One' });
});

const file = (name: string, content = 'content') => carry(name, content);

const upload = async (
	items: Input[],
	parameters: INodeParameters = {},
	onError?: 'continueRegularOutput',
) => await run(uploadTo('dos_1', { ifExists: 'skip', ...parameters }), { items, onError });

const contents = () =>
	[...service.documents.values()]
		.map(({ file_name: name, content }) => `${toText(name)}: ${content.toString()}`)
		.sort();

describe('Upload', () => {
	it('sends one of several equal files, also if the first attempt of it fails', async () => {
		service.habits.uploadStatuses = [422];
		const files = [1, 2, 3, 4].map(() => file('a.txt'));
		const { items } = await upload(files, {}, 'continueRegularOutput');
		expect(contents()).toEqual(['a.txt: content']);
		expect(items.filter(({ json }) => json.skipped)).toHaveLength(2);
		expect(items.filter(({ json }) => json.error)).toHaveLength(1);
	});

	it('looks again before it sends an equal file whose first attempt may have been stored', async () => {
		service.habits.brokenAnswers = 1;
		const { items } = await upload(
			[1, 2, 3].map(() => file('a.txt')),
			{},
			'continueRegularOutput',
		);
		expect(contents()).toEqual(['a.txt: content']);
		expect(items.filter(({ json }) => json.skipped)).toHaveLength(2);
	});

	it('treats neither another name nor another content as the same file', async () => {
		const scans = [file('scan 1.pdf'), file('scan 2.pdf'), file('scan_1.pdf', 'changed')];
		await upload([...scans, file('1-2.pdf'), file('12.pdf')]);
		expect(contents()).toEqual([
			'1-2.pdf: content',
			'12.pdf: content',
			'scan 1.pdf: content',
			'scan 2.pdf: content',
			'scan_1.pdf: changed',
		]);
	});

	it('takes no two files of a run for one because the service might spell their names alike', async () => {
		const names = ['12.pdf', '1 2.pdf', 'A.txt', 'a.txt'];
		const { items } = await upload(names.map((name) => file(name)));
		expect(items.map(({ json }) => json.skipped)).toEqual([false, false, false, false]);
		const again = await upload(names.map((name) => file(name)));
		expect(again.items.map(({ json }) => json.file_name)).toEqual(names);
		expect(contents()).toHaveLength(4);
	});

	it.each<[string, Partial<PlainService['habits']>, string]>([
		['gives checksums', {}, 'checksum'],
		['names the algorithm in checksums', { writeChecksum: (hex) => `sha256:${hex}` }, 'checksum'],
		[
			'writes checksums in base64',
			{ writeChecksum: (hex) => Buffer.from(hex, 'hex').toString('base64') },
			'checksum',
		],
		['writes checksums that nobody can read', { writeChecksum: () => 'crc32:1' }, 'content'],
		['changes the names of files', { nameFile: (name) => name.replace('.', '_') }, 'checksum'],
		['gives no checksums', { hasChecksums: false }, 'content'],
		['gives short list entries', { listFields: ['file_name'] }, 'checksum'],
	])(
		'is safe to repeat if the service %s, and says what it compared',
		async (_, habits, comparedBy) => {
			Object.assign(service.habits, habits);
			await upload([file('a.txt'), file('b.txt', 'other!!')]);
			const { items } = await upload([file('a.txt'), file('b.txt', 'changed')]);
			expect(contents().map((one) => one.slice(-7))).toEqual(['content', 'changed', 'other!!']);
			expect(items[0]?.json).toMatchObject({ skipped: true, compared_by: comparedBy });
			expect(items[1]?.json.skipped).toBe(false);
		},
	);

	it('recognizes a name that the service has normalized', async () => {
		service.habits.nameFile = (name) => name.normalize('NFC');
		const name = 'Pru\u0308fung.txt';
		await upload([file(name)]);
		const { items } = await upload([file(name)]);
		expect(items[0]?.json).toMatchObject({ skipped: true });
		expect(service.documents.size).toBe(1);
	});

	it('sends nothing if the service gives nothing to compare', async () => {
		await upload([file('a.txt')]);
		Object.assign(service.habits, { hasChecksums: false, listFields: [] });
		const { error } = await upload([file('a.txt')]);
		expect(error?.message).toContain('nothing says whether a.txt is among them');
		expect(contents()).toEqual(['a.txt: content']);
	});

	it('sends nothing if one of several fields has no file', async () => {
		const { error } = await upload([file('a.txt')], { binaryPropertyName: 'data,typo' });
		expect(error?.message).toContain('typo');
		expect(count('POST')).toBe(0);
	});

	it('fails if expressions leave nothing to upload', async () => {
		const { error } = await upload([file('a.txt')], {
			binaryPropertyName: '={{ $json.a }},{{ $json.b }}',
		});
		expect(error?.message).toContain("'Input Binary Field' is empty");
	});
});

describe('Upload', () => {
	const failing = "={{ $json.fails ? $('No such step').item.json.id : 'dos_1' }}";

	it.each<[string, INodeParameters]>([
		['a locator', { dossierId: byId(failing) }],
		['an option', { options: { title: failing } }],
		['an option of the run', { options: { timeout: failing.replace("'dos_1'", '9') } }],
	])('uploads the other items if an expression in %s fails for the first', async (_, given) => {
		const items = [{ ...file('a.txt'), json: { fails: true } }, file('b.txt')];
		const outcome = await upload(items, given, 'continueRegularOutput');
		expect(outcome.error).toBeUndefined();
		expect(outcome.items[0]?.json.error).toMatchObject({
			message: expect.stringContaining("node doesn't exist"),
		});
		expect(outcome.items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
		expect(contents()).toEqual(['b.txt: content']);
	});
});

it('Executions at the same time store equal files once', async () => {
	const items = [file('a.txt'), file('b.txt')];
	const outputs = await Promise.all([upload(items), upload(items), upload(items)]);
	expect(outputs.map(({ error }) => error)).toEqual(Array(3).fill(undefined));
	expect(contents()).toEqual(['a.txt: content', 'b.txt: content']);
});

describe('Upload with Replace', () => {
	const replace = async (content: string) =>
		await upload([file('a.txt', content)], { ifExists: 'replace' });

	it('puts another content under the same name, and names both documents', async () => {
		await upload([file('a.txt', 'first')]);
		const [old] = service.documents.keys();
		const { items, hints } = await replace('second');
		expect(contents()).toEqual(['a.txt: second']);
		expect(hints).toEqual([
			'Files uploaded: 1, in organization org (test data)',
			'Files replaced: 1, because their content has changed',
		]);
		expect(items[0]?.json).toMatchObject({ replaced: { id: old } });
		expect(items[0]?.json.id).not.toBe(old);
		const again = await replace('second');
		expect(again.items[0]?.json).toMatchObject({ skipped: true });
	});

	it.each([true, false])(
		'keeps the new content if the service makes it a version of the old document (checksums: %s)',
		async (hasChecksums) => {
			Object.assign(service.habits, { hasVersions: true, hasChecksums });
			await upload([file('a.txt', 'old')]);
			// As long as the old content, so that only a download tells them apart
			const { error } = await replace('new');
			expect(error).toBeUndefined();
			expect(contents()).toEqual(['a.txt: new']);
		},
	);

	it.each([
		[true, 404],
		[true, 410],
		[false, 404],
	])(
		'fails if the old document cannot be deleted, unless somebody else has done it (%s, %s)',
		async (isGone, status) => {
			await upload([file('a.txt', 'first')]);
			service.handlers['DELETE /v1/documents/{id}'] = (request, response, asked) => {
				if (isGone) service.documents.delete(asked.id);
				refusing(status, 'Nothing is there')(request, response, asked);
			};
			const { error } = await replace('second');
			expect(error === undefined).toBe(isGone);
			expect(contents()).toEqual([...(isGone ? [] : ['a.txt: first']), 'a.txt: second']);
		},
	);

	it('deletes the old document in the next run, if this one broke off before', async () => {
		await upload([file('a.txt', 'first')]);
		const removing = service.handlers['DELETE /v1/documents/{id}'];
		service.handlers['DELETE /v1/documents/{id}'] = (request) => request.socket.destroy();
		expect((await replace('second')).error).toBeDefined();
		expect(contents()).toEqual(['a.txt: first', 'a.txt: second']);
		if (removing) service.handlers['DELETE /v1/documents/{id}'] = removing;
		// Nothing shows which one is newer.
		const { hints } = await replace('second');
		expect(service.documents.size).toBe(2);
		expect(hints).toContainEqual(expect.stringMatching(/another document.*did not delete/));
		let day = 1;
		for (const one of service.documents.values()) one.created_at = `2026-03-0${day++}T12:00:00Z`;
		const [old] = service.documents.keys();
		await replace('first');
		expect(service.documents.size).toBe(2);
		const { items } = await replace('second');
		expect(items[0]?.json).toMatchObject({ skipped: true, replaced: { id: old } });
		expect(contents()).toEqual(['a.txt: second']);
		expect((await replace('second')).hints).toEqual([expect.stringContaining('Files skipped: 1')]);
	});

	it('sends no equal file again after the connection of another one broke', async () => {
		for (const one of [file('z.txt'), file('m.txt'), file('a.txt', 'old')]) await upload([one]);
		service.habits.isNewestFirst = true;
		service.habits.brokenAnswers = 1;
		const { error } = await upload([file('a.txt', 'new'), file('z.txt'), file('m.txt')], {
			ifExists: 'replace',
			options: { concurrentRequests: 1 },
		});
		expect(error).toBeUndefined();
		expect(service.habits.brokenAnswers).toBe(0);
		expect(contents()).toEqual(['a.txt: new', 'm.txt: content', 'z.txt: content']);
		expect(count('POST')).toBe(4);
	});

	it.each([false, true])(
		'keeps the first of two files of one run with the same name, and says so (there before: %s)',
		async (isThere) => {
			if (isThere) await upload([file('scan.pdf', 'first')]);
			const { items } = await upload(
				[file('scan.pdf', 'first'), file('scan.pdf', 'second')],
				{ ifExists: 'replace', options: { concurrentRequests: 1 } },
				'continueRegularOutput',
			);
			expect(contents()).toEqual(['scan.pdf: first']);
			expect(items[0]?.json.skipped ?? false).toBe(isThere);
			expect(items[1]?.json.error).toMatchObject({
				message: 'Two files named scan.pdf are for the same dossier',
				hint: 'The dossier has the other one. Leave one of them out, or rename it.',
			});
		},
	);

	it('keeps a file of an earlier round of a loop, and replaces what was there before', async () => {
		await upload([file('a.txt', 'old'), file('b.txt', 'old')]);
		const { error, items } = await run(uploadTo('dos_1', { ifExists: 'replace' }), {
			items: [file('a.txt', 'new')],
			rounds: [[file('b.txt', 'new')], [file('a.txt', 'newer')]],
		});
		expect(error?.message).toBe('Two files named a.txt are for the same dossier');
		expect(items).toEqual([]);
		expect(contents()).toEqual(['a.txt: new', 'b.txt: new']);
	});

	it.each([true, false])(
		'keeps the old document if the new one is not whole (checksums: %s)',
		async (hasChecksums) => {
			await upload([file('a.txt', 'first')]);
			Object.assign(service.habits, { hasChecksums, keptBytes: 3 });
			const { error } = await replace('second');
			expect(error).toBeDefined();
			expect(contents()).toContain('a.txt: first');
			expect(count('DELETE')).toBe(0);
		},
	);

	it('touches nothing if several documents have the name', async () => {
		await upload([file('a.txt', '1'), file('a.txt', '2')]);
		const { error } = await replace('3');
		expect(error?.message).toBe('The dossier has 2 documents named a.txt');
		expect(contents()).toEqual(['a.txt: 1', 'a.txt: 2']);
	});
});
