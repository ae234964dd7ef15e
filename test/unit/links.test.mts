/** The links in the documentation, and the links from the forms to it, are valid. */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { UNTRUE } from '../../scripts/process/checkPack.mts';
import { findPlace, makeAbsolute } from '../../scripts/process/packedReadme.mts';
import { DossierApi } from '../../credentials/DossierApi.credentials';
import { DossierWorkspaceApi } from '../../credentials/DossierWorkspaceApi.credentials';

const root = join(__dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const below = (pattern: string) =>
	globSync(pattern, { cwd: root, exclude: ['**/node_modules', '**/dist'] }).sort();

const documents = [...below('*.md'), ...below('{docs,sandbox,examples,bench,contract}/**/*.md')];

/** Of a picture: a page that has it should open at once. */
const MOST_BYTES = 2e6;

/** Markdown without code. */
const stripCode = (text: string) =>
	text.replace(/^ *(```+)[^]*?^ *\1 *$/gm, '').replace(/`[^`\n]+`/g, '``');

const readWords = (heading: string) => heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1');

/** The anchors that GitHub makes from the headings of a document. */
function listAnchors(text: string): Set<string> {
	const anchors = new Set<string>();
	const headings = text.replace(/^ *(```+)[^]*?^ *\1 *$/gm, '').matchAll(/^#{1,6} +(.+?) *#*$/gm);
	for (const [, heading = ''] of headings) {
		const plain = readWords(heading)
			.toLowerCase()
			.replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '');
		const anchor = plain.replaceAll(' ', '-');
		let unique = anchor;
		for (let n = 1; anchors.has(unique); n++) unique = `${anchor}-${n}`;
		anchors.add(unique);
	}
	return anchors;
}

/** Why a link to a path below the root is broken, or `undefined` if it is not. */
function findProblem(path: string, anchor: string | undefined): string | undefined {
	if (path.startsWith('..')) return 'is outside of the repository';
	if (!existsSync(join(root, path))) return 'does not exist';
	if (!anchor) return undefined;
	if (!path.endsWith('.md')) return 'has no headings';
	return listAnchors(read(path)).has(anchor) ? undefined : 'has no such heading';
}

function listTargets(text: string): string[] {
	const links = [...stripCode(text).matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g)];
	const references = [...stripCode(text).matchAll(/^\[[^\]]+\]: +(\S+)/gm)];
	const html = [
		...stripCode(text).matchAll(/<(?:a|img|source)[^>]* (?:href|src|srcset)="([^"]+)"/g),
	];
	return [...links, ...references, ...html].map(([, target = '']) => target);
}

describe.each(documents)('%s', (path) => {
	const targets = listTargets(read(path));

	it('has no broken link or picture', () => {
		const broken = targets.flatMap((target) => {
			if (/^(https?|mailto):/.test(target)) return [];
			const [file = '', anchor] = decodeURI(target).split('#');
			const place = file ? normalize(join(dirname(path), file)) : path;
			const wrong = findProblem(place, anchor);
			return wrong ? [`${target} ${wrong}`] : [];
		});
		expect(broken).toEqual([]);
	});
});

it.each(['', 'sandbox/'])('%sREADME.md leads to the same places once it is packed', (folder) => {
	const text = read(`${folder}README.md`);
	const packed = makeAbsolute(text, findPlace(read(`${folder}package.json`)));
	const { homepage } = JSON.parse(read('package.json')) as { homepage: string };
	const repository = homepage.replace(/#.*$/, '');
	const raw = repository.replace('github.com', 'raw.githubusercontent.com');
	const before = listTargets(text);
	const after = listTargets(packed);
	expect(after).toHaveLength(before.length);
	expect(after.filter((target) => !/^(https:\/\/|#|mailto:)/.test(target))).toEqual([]);
	const back = after.map((target) =>
		target.replace(`${raw}/main/`, '').replace(`${repository}/blob/main/`, ''),
	);
	const wanted = before.map((target) =>
		/^([a-z]+:|#)/.test(target)
			? target.replace(`${repository}/blob/main/`, '')
			: normalize(join(folder, target)),
	);
	expect(back).toEqual(wanted);
	const pictures = [...packed.matchAll(/!\[[^\]]*\]\(([^)]+)\)|src="([^"]+)"/g)].map(
		([, one, other]) => one ?? other ?? '',
	);
	expect(pictures.length).toBeGreaterThan(0);
	expect(
		pictures.filter((one) => one.startsWith(repository) && !one.endsWith('/badge.svg')),
	).toEqual([]);
});

it('No page says what is untrue once the package can be had', () => {
	const pages = documents.filter((path) => !/^(CONTRIBUTING|CHANGELOG)/.test(path));
	expect(pages.filter((path) => read(path).match(UNTRUE))).toEqual([]);
});

it('Every picture is used in a document, and is small', () => {
	const shown = documents.flatMap((path) =>
		listTargets(read(path)).map((target) => normalize(join(dirname(path), target))),
	);
	const pictures = below('docs/images/*').filter((path) => statSync(join(root, path)).isFile());
	expect(pictures.filter((path) => !shown.includes(path))).toEqual([]);
	expect(pictures.filter((path) => statSync(join(root, path)).size > MOST_BYTES)).toEqual([]);
});

it('The README begins with a picture that moves', () => {
	const [first = ''] = /docs\/images\/[\w.-]+/.exec(read('README.md')) ?? [];
	const [, ...frames] = readFileSync(join(root, first)).toString('latin1').split('\x21\xf9\x04');
	expect(frames.length).toBeGreaterThan(10);
	// Each is drawn over the one before, whose other parts stay (disposal method 1 of GIF89a)
	expect(new Set(frames.map((frame) => (frame.charCodeAt(0) >> 2) & 7))).toEqual(new Set([1]));
});

it('The forms and examples have no broken link to this repository', () => {
	const { homepage } = JSON.parse(read('package.json')) as { homepage: string };
	const repository = homepage.replace(/#.*$/, '');
	const sources = [
		'package.json',
		...below('{nodes,credentials}/**/*.{ts,json}'),
		...below('examples/*.json'),
	];
	const links = sources.flatMap((source) =>
		[...read(source).matchAll(/https:\/\/github\.com\/[^\s"'<)\\]+/g)].map(([link]) => link),
	);
	const ours = links.filter((link) => link.startsWith(repository) && !/\.git$|\/issues/.test(link));
	expect(ours.length).toBeGreaterThan(5);
	const broken = ours.flatMap((link) => {
		const [path = '', anchor] = link.slice(repository.length).split('#');
		const file = path.replace(/^\/(blob|tree)\/main\//, '') || 'README.md';
		const wrong = findProblem(file, anchor === 'readme' ? undefined : anchor);
		return wrong ? [`${link} ${wrong}`] : [];
	});
	expect(broken).toEqual([]);
});

it('The Docs links of nodes and credentials have no fragment, since n8n appends a query to them', () => {
	const links = below('nodes/**/*.node.json').flatMap((path) => {
		const { resources } = JSON.parse(read(path)) as {
			resources: Record<string, Array<{ url: string }>>;
		};
		return Object.values(resources).flatMap((list) => list.map(({ url }) => url));
	});
	const documented = [new DossierApi(), new DossierWorkspaceApi()].map(
		({ documentationUrl }) => documentationUrl,
	);
	const all = [...links, ...documented];
	expect(all).toHaveLength(8);
	expect(all.filter((url) => !url.startsWith('https://') || url.includes('#'))).toEqual([]);
});
