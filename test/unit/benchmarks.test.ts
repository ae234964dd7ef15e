/** The page of benchmarks shows what was measured, and nothing else. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { renderPage } from '../../bench/report/document.ts';

const root = dirname(dirname(__dirname));

it('is what "npm run bench" makes of its results', async () => {
	const page = await readFile(join(root, 'docs/benchmarks.md'), 'utf8');
	expect(page).toBe(await renderPage(root));
});
