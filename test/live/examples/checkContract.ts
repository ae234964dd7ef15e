import { complaints } from '../../../scripts/host/executions.ts';
import type { Live } from '../live.ts';
import { readItems, runStored } from '../../../scripts/host/executions.ts';
import { importExample } from './imported.ts';

export function checkContract(live: () => Live): void {
	it('shows on a page what the check found, and the dialect', async () => {
		const workflow = await importExample(live(), 'check-contract.json');
		const execution = await runStored(live(), workflow);
		expect(complaints(execution.data)).toEqual([]);
		const pages = readItems(execution, 'Show the Page').map(({ json }) => json.html);
		expect(pages).toEqual([
			expect.stringMatching(/<strong>\d+ hold, \d+ differ[^]*<h2[^>]*>Dialect[^]*<li>/),
		]);
	});
}
