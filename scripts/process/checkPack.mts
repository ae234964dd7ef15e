import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';

/** The rules of a package: its size, the files that it may have, and those that it must have beside those of its package.json. */
interface Bounds {
	/** Of the tarball, in bytes. */
	most: number;
	kinds: RegExp;
	wanted: string[];
}

const NODES: Bounds = {
	most: 250_000,
	kinds: /^(dist\/.+\.(js|json|svg)|LICENSE|README\.md|package\.json)$/,
	wanted: ['dist/icons/dossier.svg'],
};
const PROGRAM: Bounds = {
	most: 400_000,
	kinds:
		/^(dist\/.+\.(js|json|svg|css|yaml|md)|dist\/index\.d\.cts|LICENSE|README\.md|package\.json)$/,
	wanted: ['dist/contract/openapi.yaml', 'dist/docs/contract.md', 'dist/seed.schema.json'],
};
/** The placeholders that a maintainer fills in before the first release; see CONTRIBUTING.md. */
const PLACEHOLDERS =
	/n8n-nodes-dossier\/n8n-nodes-dossier|maintainers@[\w.-]+\.example\b|n8n-nodes-dossier maintainers/g;

/** Sentences that are no longer true once the package is released. */
export const UNTRUE = /\b(?:until|before) the first release\b|\bnot (?:yet )?in the registry\b/gi;

interface Packed {
	/** Of the tarball, in bytes. */
	size: number;
	files: Array<{ path: string }>;
}

interface Manifest {
	n8n?: { nodes: string[]; credentials: string[] };
	main?: string;
	types?: string;
	bin?: Record<string, string>;
}

/** The faults of the package that npm would publish from a folder, as sentences. */
export function checkPack(folder: string): string[] {
	const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
	const output = execFileSync('npm', args, { cwd: folder, encoding: 'utf8' });
	const [{ size, files } = { size: 0, files: [] }] = JSON.parse(output) as Packed[];
	const paths = files.map(({ path }) => path);
	const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
	const { n8n = { nodes: [], credentials: [] }, main = [], types = [], bin = {} } = manifest;
	const bounds = manifest.n8n ? NODES : PROGRAM;
	const named = [main, types, Object.values(bin), n8n.nodes, n8n.credentials].flat();
	const wanted = ['LICENSE', 'README.md', ...bounds.wanted, ...named.map((one) => normalize(one))];
	const texts = paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')] as const);
	return [
		...wanted.filter((path) => !paths.includes(path)).map((path) => `${path} is missing`),
		...paths
			.filter((path) => !bounds.kinds.test(path))
			.map((path) => `${path} does not belong there`),
		...(size > bounds.most ? [`It is ${size} bytes, more than ${bounds.most}`] : []),
		...texts.flatMap(([path, text]) =>
			[...new Set(text.match(PLACEHOLDERS))].map(
				(placeholder) => `${path} has the placeholder ${placeholder}`,
			),
		),
		...texts
			.filter(([path]) => path.endsWith('.md'))
			.flatMap(([path, text]) =>
				[...new Set(text.match(UNTRUE))].map((words) => `${path} still says "${words}"`),
			),
	];
}
