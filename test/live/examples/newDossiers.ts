import { awaitExecution, runWorkflow } from '../../../scripts/host/rest.ts';
import type { Live } from '../live.ts';
import { readItems } from '../../../scripts/host/executions.ts';
import { importExample } from './imported.ts';
import { newDossier } from './records.ts';

export function newDossiers(live: () => Live): void {
	it('goes on with each dossier in one execution', async () => {
		const workflow = await importExample(live(), 'new-dossiers.json');
		const run = async () => {
			const id = await runWorkflow(live().session, workflow);
			const execution = await awaitExecution(live().session, id, live().signal);
			return readItems(execution, 'Only Those Not Seen Before').map(({ json }) => json.id);
		};
		const old = await newDossier(live(), 'N-1');
		expect(await run()).toContain(old);
		const added = await newDossier(live(), 'N-2');
		expect(await run()).toEqual([added]);
		expect(await run()).toEqual([]);
	});
}
