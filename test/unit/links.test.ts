/** Every link of the documents, and every link of the forms to the documents, leads somewhere. */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const root = join(__dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const below = (pattern: string) =>
	globSync(pattern, { cwd: root, exclude: ['**/node_modules', 'dist'] }).sort();

const documents = [...below('*.md'), ...below('{docs,sandbox,examples,bench,contract}/**/*.md')];

/** Markdown without what is code. */
const prose = (text: string) =>
	text.replace(/^ *(```+)[^]*?^ *\1 *$/gm, '').replace(/`[^`\n]+`/g, '``');

const wordsOf = (heading: string) => heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1');

/** The anchors of a document, as GitHub makes them of its headings. */
function anchorsOf(text: string): Set<string> {
	const anchors = new Set<string>();
	const headings = text.replace(/^ *(```+)[^]*?^ *\1 *$/gm, '').matchAll(/^#{1,6} +(.+?) *#*$/gm);
	for (const [, heading = ''] of headings) {
		const plain = wordsOf(heading)
			.toLowerCase()
			.replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '');
		const anchor = plain.replaceAll(' ', '-');
		let unique = anchor;
		for (let n = 1; anchors.has(unique); n++) unique = `${anchor}-${n}`;
		anchors.add(unique);
	}
	return anchors;
}

/** What is wrong with a link to a place below the root; `undefined` where nothing is. */
function problem(path: string, anchor: string | undefined): string | undefined {
	if (path.startsWith('..')) return 'leads out of the repository';
	if (!existsSync(join(root, path))) return 'is not there';
	if (!anchor) return undefined;
	if (!path.endsWith('.md')) return 'has no headings';
	return anchorsOf(read(path)).has(anchor) ? undefined : 'has no such heading';
}

function targetsOf(text: string): string[] {
	const links = [...prose(text).matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g)];
	const references = [...prose(text).matchAll(/^\[[^\]]+\]: +(\S+)/gm)];
	const html = [...prose(text).matchAll(/<(?:a|img|source)[^>]* (?:href|src|srcset)="([^"]+)"/g)];
	return [...links, ...references, ...html].map(([, target = '']) => target);
}

describe.each(documents)('%s', (path) => {
	const targets = targetsOf(read(path));

	it('leads somewhere with every link and picture', () => {
		const broken = targets.flatMap((target) => {
			if (/^(https?|mailto):/.test(target)) return [];
			const [file = '', anchor] = decodeURI(target).split('#');
			const place = file ? normalize(join(dirname(path), file)) : path;
			const wrong = problem(place, anchor);
			return wrong ? [`${target} ${wrong}`] : [];
		});
		expect(broken).toEqual([]);
	});
});

it('Every picture in the documents is shown by one of them', () => {
	const shown = documents.flatMap((path) =>
		targetsOf(read(path)).map((target) => normalize(join(dirname(path), target))),
	);
	const pictures = below('docs/images/*').filter((path) => statSync(join(root, path)).isFile());
	expect(pictures.filter((path) => !shown.includes(path))).toEqual([]);
});

it('The links of the forms to this repository lead somewhere', () => {
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
	const ours = links.filter((link) => link.startsWith(repository) && !link.endsWith('.git'));
	expect(ours.length).toBeGreaterThan(5);
	const broken = ours.flatMap((link) => {
		const [path = '', anchor] = link.slice(repository.length).split('#');
		const file = path.replace(/^\/(blob|tree)\/main\//, '') || 'README.md';
		const wrong = problem(file, anchor === 'readme' ? undefined : anchor);
		return wrong ? [`${link} ${wrong}`] : [];
	});
	expect(broken).toEqual([]);
});
