/** The pages about the nodes say what the nodes are. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DossierApi } from '../../credentials/DossierApi.credentials';
import { DossierWorkspaceApi } from '../../credentials/DossierWorkspaceApi.credentials';
import { Dossier } from '../../nodes/Dossier/Dossier.node';
import { DossierTrigger } from '../../nodes/Dossier/DossierTrigger.node';
import { codesOf, firstArguments, nodeSources } from '../../scripts/docs/errorSentences.ts';
import { generatedPages } from '../../scripts/docs/generatedPages.ts';

const root = join(__dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const pages = generatedPages(root, {
	action: new Dossier().description,
	trigger: new DossierTrigger().description,
	credentials: [new DossierApi(), new DossierWorkspaceApi()],
});

/** Where one of these fails: run `npm run docs`, look at what changed, and commit it. */
describe('The pages that `npm run docs` writes', () => {
	it('are all there, and no other', () => {
		const there = globSync('docs/operations/*', { cwd: root });
		const wanted = [...pages.keys()].filter((path) => path.startsWith('docs/operations/'));
		expect(there.sort()).toEqual(wanted.sort());
	});

	it.each([...pages])('are as the nodes are: %s', (path, text) => {
		expect(read(path)).toBe(text);
	});
});

describe('The pages written by hand', () => {
	const sources = nodeSources(root);

	it('explain every error code of the nodes', () => {
		const page = read('docs/errors.md');
		expect(codesOf(sources).filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
	});

	it('explain every reason for which a delivery is refused', () => {
		const page = read('docs/trigger.md');
		const reasons = firstArguments(sources, 'trigger/verify.ts', 'refuse');
		expect(reasons.length).toBeGreaterThan(4);
		expect(reasons.filter((reason) => !page.includes(reason))).toEqual([]);
	});
});
