import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { baseFileName } from '../../../nodes/Dossier/api/transfer/fileFacts';
import { fileSha256, listCases, readStoredName } from '../../../scripts/intake/caseFiles.mts';
import { announce } from '../../../scripts/intake/report.mts';

let folder: string;

beforeEach(async () => {
	folder = await realpath(await mkdtemp(join(tmpdir(), 'cases-')));
});

afterEach(async () => {
	jest.restoreAllMocks();
	await rm(folder, { recursive: true, force: true });
});

async function put(path: string, content = 'x'): Promise<string> {
	const whole = join(folder, path);
	await mkdir(dirname(whole), { recursive: true });
	await writeFile(whole, content);
	return whole;
}

const root = process.getuid?.() === 0;

describe('a folder of cases', () => {
	it('assigns each file to the dossier whose reference begins the name of its top-level sub-folder', async () => {
		await put('2026-001 Müller/contract.pdf', 'abc');
		await put('2026-001 Müller/scans/2026/passport.jpg');
		await put('山田/empty.txt', '');
		const { files } = await listCases(folder);
		expect(files.map(({ dossier, name, bytes }) => [dossier, name, bytes])).toEqual([
			['2026-001', 'contract.pdf', 3],
			['2026-001', 'passport.jpg', 1],
			['山田', 'empty.txt', 0],
		]);
	});

	it('assigns files directly in the folder to a case with the name of the folder, and says so', async () => {
		await put('case/letter.txt');
		const said = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
		announce(await listCases(folder));
		expect(said.mock.calls.join()).not.toContain('sub-folder');
		await put('letter.txt');
		const listing = await listCases(folder);
		expect(listing.files.map(({ dossier }) => dossier).sort()).toEqual(
			['case', basename(folder)].sort(),
		);
		announce(listing);
		expect(said.mock.calls.join()).toContain(
			`In no sub-folder: 1. They go into the dossier "${basename(folder)}"`,
		);
	});

	it('says which folders share a reference, and so become one dossier', async () => {
		await put('2024-12 Invoices/a.txt');
		await put('2024-12 Payroll/b.txt');
		await put('2024-13/c.txt');
		const said = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
		announce(await listCases(folder));
		expect(said.mock.calls.join()).toContain('To import: 3 files of 2 dossiers (3 B) from ');
		expect(said.mock.calls.join()).toContain(
			'2 folders share the reference "2024-12" and become one dossier: 2024-12 Invoices, 2024-12 Payroll',
		);
	});

	it('has the reference without spaces around it, as the node sends it', async () => {
		await put('  spaces  /a.txt');
		const { files } = await listCases(folder);
		expect(files.map(({ dossier }) => dossier)).toEqual(['spaces']);
	});

	it.each(['back\\slash.txt', 'two\nlines.txt', ' a.txt ', 'a\u202eb.txt', '\\', 'Müller.pdf'])(
		'has the name under which the node stores a file: %j',
		(name) => {
			expect(readStoredName(name)).toBe(baseFileName(name));
		},
	);

	it('leaves out hidden files and folders, and lists them', async () => {
		await put('case/letter.txt');
		await put('case/.DS_Store');
		await put('.git/config');
		const { files, leftOut } = await listCases(folder);
		expect(files.map(({ name }) => name)).toEqual(['letter.txt']);
		expect(leftOut.sort()).toEqual(['.git', 'case/.DS_Store']);
	});

	it('leaves out a broken link, and refuses a valid one', async () => {
		await put('case/letter.txt');
		await symlink(join(folder, 'nowhere'), join(folder, 'case/broken'));
		expect((await listCases(folder)).leftOut).toEqual(['case/broken']);
		await symlink(join(folder, 'case/letter.txt'), join(folder, 'case/linked.txt'));
		await expect(listCases(folder)).rejects.toThrow(/linked\.txt is a link.*Put the file itself/);
	});

	it('resolves the folder if it is a link, because n8n accepts only paths without links', async () => {
		await put('cases/case/letter.txt');
		await symlink(join(folder, 'cases'), join(folder, 'link'));
		expect((await listCases(join(folder, 'link'))).folder).toBe(join(folder, 'cases'));
	});
});

describe('a folder that cannot be imported', () => {
	it('is reported as missing, as a file or as empty', async () => {
		await expect(listCases(join(folder, 'no'))).rejects.toThrow(/There is no folder .*no\./);
		await expect(listCases(await put('a.txt'))).rejects.toThrow(
			/a\.txt is a file\. Give the folder/,
		);
		await mkdir(join(folder, 'empty'));
		await expect(listCases(join(folder, 'empty'))).rejects.toThrow(
			/no file in .*sub-folder for each/,
		);
	});

	it.each([
		['semi;colon', 'a semicolon'],
		['back\\slash', 'a backslash'],
		['space ', 'a space at its end'],
	])('is refused if n8n cannot take its path: %s', async (name, what) => {
		await put(`${name}/case/letter.txt`);
		await expect(listCases(join(folder, name))).rejects.toThrow(what);
	});

	it.each(['[a]', '(a)', '{a,b}', '!a', 'a*b?', '+(a|b)', "it's"])(
		'is not refused for a name with characters of a file selector: %s',
		async (name) => {
			await put(`${name}/case/letter.txt`);
			expect((await listCases(join(folder, name))).files).toHaveLength(1);
		},
	);

	it('is refused with the name of a folder that n8n passes over', async () => {
		await put('case/two\nlines/a.txt');
		await expect(listCases(folder)).rejects.toThrow(/two\nlines has a line break in its name/);
	});

	it('is refused with the name of a file that is not UTF-8', async () => {
		await mkdir(join(folder, 'case'));
		const bytes = Buffer.from(join(folder, 'case/M#ller.txt'), 'latin1');
		bytes[bytes.indexOf('#')] = 0xfc;
		await writeFile(bytes, 'x');
		await expect(listCases(folder)).rejects.toThrow(/M\uFFFDller\.txt is not written in UTF-8/);
	});

	it('is refused with the name of a file that may not be read, unless the tests run as root', async () => {
		await chmod(await put('case/secret.txt'), 0);
		const listing = listCases(folder);
		if (root) expect((await listing).files).toHaveLength(1);
		else await expect(listing).rejects.toThrow(/secret\.txt cannot be read\. Give yourself/);
	});
});

describe('the SHA-256 of a file', () => {
	it('is that of its bytes', async () => {
		expect(await fileSha256(await put('case/a.txt', 'abc'))).toBe(
			'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
		);
	});

	it('fails if the file was deleted after it was listed', async () => {
		await expect(fileSha256(join(folder, 'gone.txt'))).rejects.toThrow(
			/gone\.txt was there a moment/,
		);
	});
});
