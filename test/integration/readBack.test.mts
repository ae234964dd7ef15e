import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listCases } from '../../scripts/intake/caseFiles.mts';
import { readBack } from '../../scripts/intake/readBack.mts';
import { sayResult } from '../../scripts/intake/report.mts';
import { useService } from './service.mts';

const service = useService();
let folder: string;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'cases-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

it('The demo tells what is missing from what differs, and finds files under the names that the node gives them', async () => {
	const { organization, url } = service;
	await mkdir(join(folder, '2026-001 Müller'));
	for (const name of ['back\\slash.txt', 'differs.txt', 'missing.txt']) {
		await writeFile(join(folder, '2026-001 Müller', name), 'x');
	}
	const { id } = await service.create('/dossiers', { title: 'Müller', reference: '2026-001' });
	await service.addDocument(id, { file_name: 'slash.txt' }, Buffer.from('x'));
	await service.addDocument(id, { file_name: 'differs.txt' }, Buffer.from('y'));
	const said = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
	const { files } = await listCases(folder);
	const place = { baseUrl: `${url}/v1`, organization };
	sayResult(await readBack(place, files, AbortSignal.timeout(10_000)));
	const text = said.mock.calls.join('');
	said.mockRestore();
	for (const line of [
		/slash\.txt \(stored as slash\.txt\) \| 1 B \| SHA-256 equal/,
		/differs\.txt \| 1 B \| its SHA-256 is NOT equal/,
		/missing\.txt \| 1 B \| MISSING/,
		/with equal SHA-256: 1 of 3 files\./,
	]) {
		expect(text).toMatch(line);
	}
});
