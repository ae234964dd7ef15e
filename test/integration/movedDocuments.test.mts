/** Document: Move or Copy to Another Dossier. */
import { randomBytes } from 'node:crypto';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { answerJson, sha256 } from './fakeService.mts';
import { runDossier } from './n8n.mts';
import { usePlainService } from './plainService.mts';
import { expectPreviewed } from './previews.mts';
import { carry, uploadTo } from './requests.mts';
import { byId, PROFILES, useService } from './service.mts';

const transfer = (
	how: 'move' | 'copy',
	documentId: unknown,
	dossierId: unknown,
	more: INodeParameters = {},
): INodeParameters => ({
	resource: 'document',
	operation: 'moveOrCopy',
	transfer: how,
	documentId: byId(documentId),
	dossierId: byId(dossierId),
	...more,
});

describe.each(PROFILES)('A document for another dossier, under the profile %s', (profile) => {
	const service = useService({ profile });
	const content = randomBytes(700_001);
	const fields = {
		file_name: 'Brief – März.bin',
		mime_type: 'application/x-own',
		title: 'The letter',
		category: 'correspondence',
		custom_fields: { box: 7 },
	};

	const newDossier = async (more: IDataObject = {}) =>
		await service.create('/dossiers', { title: 'One', ...more });

	async function addTo({ id }: IDataObject, held = content, title = fields.title) {
		const { file_name: fileName, mime_type: mimeType, category } = fields;
		const customFields = { field: [{ name: 'box', value: 7 }] };
		const options = { title, mimeType, customFields };
		const parameters = uploadTo(id as string, { category, options });
		const items = [carry(fileName, held)];
		const outcome = await runDossier({ parameters, credential: service.credential, items });
		expect(outcome.error).toBeUndefined();
		return outcome.items[0]?.json ?? {};
	}

	async function newDocument() {
		const dossier = await newDossier();
		return { dossier, document: await addTo(dossier) };
	}

	const list = async ({ id }: IDataObject) =>
		await service.list(`/dossiers/${encodeURIComponent(id as string)}/documents`);

	async function run(parameters: INodeParameters) {
		const outcome = await runDossier({ parameters, credential: service.credential });
		if (profile === 'default' && !outcome.error) expectPreviewed(parameters, outcome.items);
		return outcome;
	}

	async function download(id: unknown): Promise<Buffer> {
		const path = `/documents/${encodeURIComponent(String(id))}/download`;
		const { data } = await service.client.get<Buffer>(path, { responseType: 'arraybuffer' });
		return Buffer.from(data);
	}

	it.each(['move', 'copy'] as const)('keeps its content and its fields: %s', async (how) => {
		const { dossier, document } = await newDocument();
		const other = await newDossier({ reference: `${how} to` });
		const target = { __rl: true, mode: 'reference', value: `${how} to` } as const;
		const more = { dossierId: target, options: { concurrentRequests: 1 } };
		const { items, hints, error } = await run(transfer(how, document.id, '', more));
		expect(error).toBeUndefined();
		const done = how === 'move' ? 'moved' : 'copied';
		const place = `organization ${service.organization.id} (test data)`;
		expect(hints).toEqual([`Documents ${done}: 1, in ${place}`]);
		expect(items[0]?.json).toMatchObject({
			...fields,
			moved: how === 'move',
			skipped: false,
			source_id: document.id,
			dossier_id: other.id,
			size_bytes: content.length,
		});
		expect(sha256(await download(items[0]?.json.id))).toBe(sha256(content));
		expect((await list(dossier)).map(({ id }) => id)).toEqual(how === 'move' ? [] : [document.id]);
	});

	it('is copied once, and a move then deletes the original', async () => {
		const { dossier, document } = await newDocument();
		const other = await newDossier();
		const { items } = await run(transfer('copy', document.id, other.id));
		const again = await run(transfer('move', document.id, other.id));
		expect(again.items[0]?.json).toMatchObject({ skipped: true, id: items[0]?.json.id });
		expect(await list(other)).toHaveLength(1);
		expect(await list(dossier)).toEqual([]);
	});

	it.each([
		['another content', Buffer.from('other'), fields.title],
		['another title', content, 'Another one'],
	])('leaves a document with its file name and %s', async (_, held, title) => {
		const { document } = await newDocument();
		const other = await newDossier();
		const there = await addTo(other, held, title);
		const { items } = await run(transfer('move', document.id, other.id));
		expect(items[0]?.json).toMatchObject({ title: fields.title, skipped: false });
		const ids = (await list(other)).map(({ id }) => id);
		expect(ids.sort()).toEqual([there.id, items[0]?.json.id].sort());
		expect(sha256(await download(items[0]?.json.id))).toBe(sha256(content));
	});

	it('stays if it is in the dossier already, or if there is no such dossier', async () => {
		const { dossier, document } = await newDocument();
		const same = await run(transfer('move', document.id, dossier.id));
		expect(same.error?.message).toBe('The document is in this dossier already');
		const none = await run(transfer('move', document.id, 'dos_none'));
		expect(none.error?.message).toContain('"dos_none"');
		expect(await list(dossier)).toHaveLength(1);
	});
});

describe('A document for another dossier', () => {
	const { service, run } = usePlainService();
	const content = Buffer.from('The letter');

	beforeEach(() => {
		for (const id of ['dos_1', 'dos_2']) service.dossiers.set(id, { id, title: id });
		service.documents.set('doc_1', {
			id: 'doc_1',
			dossier_id: 'dos_1',
			file_name: 'a.txt',
			mime_type: 'text/plain',
			category: 'tax',
			size_bytes: content.length,
			checksum_sha256: sha256(content),
			content,
		});
	});

	const left = () =>
		[...service.documents.values()].map(({ id, dossier_id: dossier }) => [id, dossier]);
	const original = [['doc_1', 'dos_1']];

	it.each(['move', 'copy'] as const)('stays alone if its copy fails: %s', async (how) => {
		service.habits.uploadStatuses = [422];
		const { error } = await run(transfer(how, 'doc_1', 'dos_2'));
		expect(error?.message).toContain('Not now');
		expect(left()).toEqual(original);
	});

	it.each([true, false])('loses a copy that lacks content; checksums: %s', async (hasChecksums) => {
		Object.assign(service.habits, { keptBytes: 3, hasChecksums, hasTimes: true });
		const { error } = await run(transfer('move', 'doc_1', 'dos_2'));
		expect(error?.message).toBe('The copy of a.txt does not have the content of the original');
		expect(error?.description).toContain('The copy was deleted again');
		expect(left()).toEqual(original);
	});

	describe('is left alone', () => {
		const put = (id: string, dossier_id: string, file_name: string, held: Buffer) => {
			const document = { id, dossier_id, file_name, size_bytes: held.length, content: held };
			service.documents.set(id, document);
			return document;
		};
		const answer = (fields: () => IDataObject) => {
			service.handlers['POST /v1/dossiers/{id}/documents'] = (_, response) =>
				answerJson(response, 201, fields());
		};
		const deletions = () => service.requests.filter((one) => one.startsWith('DELETE'));

		it.each(['move', 'copy'] as const)('if the service answers with it: %s', async (how) => {
			answer(() => ({ id: 'doc_1', dossier_id: 'dos_1', size_bytes: content.length }));
			const { error } = await run(transfer(how, 'doc_1', 'dos_2'));
			expect(error?.message).toContain('answered with the document doc_1, which it had before');
			expect(deletions()).toEqual([]);
		});

		it('if the service answers with it and another size', async () => {
			Object.assign(service.habits, { hasChecksums: false, hasTimes: true });
			answer(() => ({ id: 'doc_1', dossier_id: 'dos_2', size_bytes: 1 }));
			const { error } = await run(transfer('copy', 'doc_1', 'dos_2'));
			expect(error?.description).toContain('The document doc_1 was there before');
			expect(deletions()).toEqual([]);
		});

		it.each([undefined, '2026-01-01T00:00:00Z'])(
			'as is a document that no list shows; made at: %s',
			async (created_at) => {
				const hidden = put('doc_9', 'dos_9', 'a.txt', Buffer.from('precious'));
				Object.assign(hidden, { created_at });
				answer(() => ({ id: 'doc_9' }));
				const { error } = await run(transfer('copy', 'doc_1', 'dos_2'));
				expect(error?.description).toContain('Look at the document doc_9');
				expect(deletions()).toEqual([]);
			},
		);

		it('if the service answers with another document that has its content', async () => {
			const { content: _, ...other } = put('doc_9', 'dos_2', 'b.txt', content);
			answer(() => other);
			const { error } = await run(transfer('move', 'doc_1', 'dos_2'));
			expect(error?.message).toContain('answered with the document doc_9, which it had before');
			expect(deletions()).toEqual([]);
		});

		it('if its copy comes into a third dossier', async () => {
			answer(() => {
				const { content: _, ...made } = put('doc_9', 'dos_3', 'a.txt', content);
				return made;
			});
			const { error } = await run(transfer('move', 'doc_1', 'dos_2'));
			expect(error?.message).toBe('The dossier does not have the copy of a.txt');
			expect(deletions()).toEqual([]);
		});
	});

	it('is moved by a service that keeps its identifier', async () => {
		service.handlers['POST /v1/dossiers/{id}/documents'] = (_, response, { id }) => {
			const held = service.documents.get('doc_1');
			if (held) service.documents.set('doc_1', { ...held, dossier_id: id });
			answerJson(response, 200, { id: 'doc_1', size_bytes: content.length });
		};
		const { items } = await run(transfer('move', 'doc_1', 'dos_2'));
		expect(items[0]?.json).toMatchObject({ id: 'doc_1', moved: true });
		expect(left()).toEqual([['doc_1', 'dos_2']]);
	});

	it('is not sent if its download is damaged', async () => {
		const { handlers } = service;
		handlers['GET /v1/documents/{id}/download'] = (_, response) =>
			void response.writeHead(200, { 'Content-Type': 'text/plain' }).end('The lettuce');
		const { error } = await run(transfer('move', 'doc_1', 'dos_2'));
		expect(error?.message).toContain('The downloaded file is damaged');
		expect(left()).toEqual(original);
	});

	it('stays if the service takes no second document with its file name', async () => {
		service.documents.set('doc_2', {
			id: 'doc_2',
			dossier_id: 'dos_2',
			file_name: 'a.txt',
			size_bytes: 5,
			checksum_sha256: sha256('other'),
			content: Buffer.from('other'),
		});
		service.handlers['POST /v1/dossiers/{id}/documents'] = (_, response) =>
			answerJson(response, 409, { error: { code: 'IN_USE', message: 'The name is in use' } });
		const { error } = await run(transfer('move', 'doc_1', 'dos_2'));
		expect(error?.description).toContain('the document doc_2 of the dossier is named a.txt');
		expect(error?.description).toContain('choose another dossier');
		expect(left()).toEqual([...original, ['doc_2', 'dos_2']]);
	});

	it('is known by its copy if the service may not delete it, and a further move goes on', async () => {
		const remove = service.handlers['DELETE /v1/documents/{id}'];
		service.handlers['DELETE /v1/documents/{id}'] = (_, response) =>
			answerJson(response, 403, { error: { code: 'FORBIDDEN', message: 'No', status: 403 } });
		const { error } = await run(transfer('move', 'doc_1', 'dos_2'));
		expect(error?.description).toContain('the original doc_1 is still there');
		expect(left()).toHaveLength(2);
		if (remove) service.handlers['DELETE /v1/documents/{id}'] = remove;
		const { items } = await run(transfer('move', 'doc_1', 'dos_2'));
		expect(items[0]?.json).toMatchObject({ skipped: true, moved: true });
		expect(left()).toEqual([[items[0]?.json.id, 'dos_2']]);
	});

	it('is sent once if the answer to its upload is lost', async () => {
		service.habits.brokenAnswers = 1;
		const { items } = await run(transfer('move', 'doc_1', 'dos_2'));
		expect(left()).toEqual([[items[0]?.json.id, 'dos_2']]);
	});

	it('is read again if its upload is refused for a while', async () => {
		service.habits.uploadStatuses = [429];
		const { error } = await run(
			transfer('move', 'doc_1', 'dos_2', { options: { concurrentRequests: 1 } }),
		);
		expect(error).toBeUndefined();
		expect(left()).toHaveLength(1);
	});

	describe('of several items', () => {
		const items = Array.from({ length: 12 }, (_, at) => ({ json: { at } }));
		const move = async (more: INodeParameters, how = 'move') =>
			await run(
				{ ...transfer('move', '=doc_{{ $json.at }}', 'dos_2'), transfer: how, ...more },
				{ items },
			);

		beforeEach(() => {
			for (const { json } of items) {
				const id = `doc_${json.at}`;
				const document = {
					dossier_id: 'dos_1',
					file_name: `${id}.txt`,
					size_bytes: content.length,
				};
				service.documents.set(id, { ...document, id, content });
			}
		});

		it('goes there one after the other, if as many may be deleted', async () => {
			const { error } = await move({ deleteLimit: 12 });
			expect(error).toBeUndefined();
			expect(left().map(([, dossier]) => dossier)).toEqual(items.map(() => 'dos_2'));
		});

		it('stays as it is if fewer may be deleted, 1 unless the form says more', async () => {
			const { error } = await move({});
			expect(error?.message).toContain('would delete 12 records, and at most 1 may be deleted');
			expect(left().map(([, dossier]) => dossier)).toEqual(items.map(() => 'dos_1'));
		});

		it('counts for those items alone that move', async () => {
			const how = '={{ $json.at < 2 ? "move" : "copy" }}';
			const { error } = await move({ deleteLimit: 2 }, how);
			expect(error).toBeUndefined();
			const dossiers = left().map(([, dossier]) => dossier);
			expect(dossiers.filter((one) => one === 'dos_1')).toHaveLength(10);
			expect(dossiers.filter((one) => one === 'dos_2')).toHaveLength(12);
		});
	});

	it('keeps custom fields that are a list', async () => {
		const custom = [{ name: 'box', value: 7 }];
		const { content: bytes, ...document } = service.documents.get('doc_1') ?? { content };
		service.documents.set('doc_1', { ...document, custom_fields: custom, content: bytes });
		await run(transfer('move', 'doc_1', 'dos_2'));
		const documents = [...service.documents.values()];
		expect(documents).toMatchObject([{ dossier_id: 'dos_2', custom_fields: custom }]);
	});

	it('is compared by its content if the service gives no SHA-256', async () => {
		service.habits.hasChecksums = false;
		const { error } = await run(transfer('move', 'doc_1', 'dos_2'));
		expect(error).toBeUndefined();
		const documents = [...service.documents.values()];
		expect(documents).toMatchObject([
			{ dossier_id: 'dos_2', file_name: 'a.txt', category: 'tax', content },
		]);
	});
});
