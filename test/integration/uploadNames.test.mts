/** Files whose names services refuse are sent under other ones, and found again. */
import type { INodeParameters } from 'n8n-workflow';
import { sha256 } from './fakeService.mts';
import { useBinaryMode } from './n8n.mts';
import { usePlainService } from './plainService.mts';
import { carry, uploadTo } from './requests.mts';

beforeAll(async () => await useBinaryMode('default'));

const { service, run } = usePlainService();

beforeEach(() => {
	service.dossiers.set('dos_1', { id: 'dos_1', title: 'One' });
});

const upload = async (name: string, parameters: INodeParameters = {}) =>
	await run(uploadTo('dos_1', { ifExists: 'skip', ...parameters }), { items: [carry(name)] });

describe('The name of a file from a browser or another system', () => {
	// n8n itself takes what is before a slash for the folder of a file.
	const names = [
		['C:\\fakepath\\x.pdf', 'x.pdf', false],
		['\\\\server\\scans\\März 1.pdf', 'März 1.pdf', false],
		['a\tb\r\n.pdf', 'a_b__.pdf', false],
		['x\u202efdp.exe', 'x_fdp.exe', false],
		['half \ud83d.pdf', 'half _.pdf', false],
		['folder/sub/x.pdf', 'x.pdf', true],
		['../../etc/passwd', 'passwd', true],
		['folder/', 'folder', true],
		['..', '_', true],
	] as const;
	const modes = [
		{ ifExists: 'skip' },
		{ ifExists: 'replace' },
		{ operation: 'synchronize', extent: 'atLeast', dryRun: false },
	];

	it.each(names)('is sent as services take it, shown, and found again: %j', async (...given) => {
		const [name, sent, isOption] = given;
		const options = isOption ? { fileName: `={{ ${JSON.stringify(name)} }}` } : {};
		const send = async (mode: INodeParameters) =>
			await upload(isOption ? 'other.pdf' : name, { ...mode, options });
		for (const mode of modes) {
			service.documents.clear();
			const shown = { file_name: sent, original_file_name: name };
			const outputs = [await send(mode), await send(mode)];
			expect(outputs.map(({ items }) => items[0]?.json)).toMatchObject([
				shown,
				{ ...shown, ...('operation' in mode ? { action: 'unchanged' } : { skipped: true }) },
			]);
			const stored = [...service.documents.values()].map((one) => one.file_name);
			expect(stored).toEqual([sent]);
		}
	});

	it.each(modes)('may be that of a document that was stored under it before: %j', async (mode) => {
		for (const name of ['C:\\fakepath\\x.pdf', ' a.pdf']) {
			service.documents.clear();
			const held = { file_name: name, size_bytes: 3, checksum_sha256: sha256('old') };
			const document = { ...held, id: 'doc_1', dossier_id: 'dos_1', content: Buffer.from('old') };
			service.documents.set('doc_1', document);
			const items = [carry(name, mode.ifExists === 'skip' ? 'old' : 'new!')];
			const { error } = await run(uploadTo('dos_1', mode), { items });
			expect(error).toBeUndefined();
			expect(service.documents.size).toBe(1);
		}
	});

	it('is found again if the service drops the dots at its end', async () => {
		service.habits.nameFile = (name) => name.replace(/\.+$/, '');
		const options = { fileName: 'report.pdf...' };
		for (let turn = 0; turn < 2; turn++) await upload('a.pdf', { options });
		expect(service.documents.size).toBe(1);
	});

	it('stays if services take it', async () => {
		const { items } = await upload('Rechnung #1 (März) & “Anlage”.pdf');
		expect(items[0]?.json).toMatchObject({ file_name: 'Rechnung #1 (März) & “Anlage”.pdf' });
		expect(items[0]?.json).not.toHaveProperty('original_file_name');
	});
});
