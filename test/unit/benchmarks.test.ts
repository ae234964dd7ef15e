/** The page of benchmarks shows the stored results. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { renderPage } from '../../bench/report/document.ts';

const root = dirname(dirname(__dirname));

it('docs/benchmarks.md is made from the stored results', async () => {
	const page = await readFile(join(root, 'docs/benchmarks.md'), 'utf8');
	expect(page).toBe(await renderPage(root));
});
