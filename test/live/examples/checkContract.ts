import { complaints, readItems, runStored } from '../../../scripts/host/executions.ts';
import type { Live } from '../live.ts';
import { readBinary } from '../rows.ts';
import { importExample } from './imported.ts';

export function checkContract(live: () => Live): void {
	it('shows on a page, and in a file, what the check found, and the dialect', async () => {
		const workflow = await importExample(live(), 'check-contract.json');
		const execution = await runStored(live(), workflow);
		expect(complaints(execution.data)).toEqual([]);
		const pages = readItems(execution, 'Show the Page').map(({ json }) => json.html);
		expect(pages).toEqual([
			expect.stringMatching(/<strong>\d+ hold, \d+ differ[^]*<h2[^>]*>Dialect[^]*<li>/),
		]);
		const [file] = readItems(execution, 'As a File');
		expect(file?.binary?.data?.fileName).toBe('check-contract.html');
		expect((await readBinary(live(), file?.binary?.data)).toString()).toBe(pages[0]);
	});
}
