import { join } from 'node:path';
import { listCases } from '../../../scripts/intake/caseFiles.ts';
import { readBack } from '../../../scripts/intake/readBack.ts';
import { complaints, readItems, runStored } from '../../../scripts/host/executions.ts';
import { root } from '../live.ts';
import type { Live } from '../live.ts';
import { importExample } from './imported.ts';

const folder = join(root, 'examples/files');

export function documentIntake(live: () => Live): void {
	it('puts each file into its dossier once, byte for byte, however often it runs', async () => {
		const { sandbox, organization, signal } = live();
		const workflow = await importExample(live(), 'document-intake.json', { settings: { folder } });
		const { files } = await listCases(folder);
		const place = { baseUrl: `${sandbox.url}/v1`, organization };
		for (const wasThere of [false, true]) {
			const { data, ...execution } = await runStored(live(), workflow);
			expect([execution.status, complaints(data)]).toEqual(['success', []]);
			const compared = readItems({ data }, 'Compare').map(({ json }) => json);
			expect(compared.map((one) => [one.equal, one.already_there])).toEqual(
				files.map(() => [true, wasThere]),
			);
			expect(await readBack(place, files, signal)).toMatchObject({
				complete: true,
				unexpected: [],
			});
		}
	});
}
