/** The requirements on package.json of a verified community package that n8n's lint does not check. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const text = readFileSync(join(root, 'package.json'), 'utf8');
const content = JSON.parse(text) as Record<string, unknown> & {
	n8n: { nodes: string[]; credentials: string[] } & Record<string, unknown>;
	scripts: Record<string, string>;
};

it('package.json has the keyword, the license and the repository of a community package', () => {
	expect(content).toMatchObject({
		keywords: expect.arrayContaining(['n8n-community-node-package']),
		license: 'MIT',
		repository: { type: 'git', url: expect.stringMatching(/^git\+https:.*\.git$/) },
	});
	expect(readFileSync(join(root, 'LICENSE'), 'utf8')).toMatch(/^MIT License/);
});

it('package.json has the package built and checked before it is packed', () => {
	expect(content.scripts.prepack).toBe('npm run build && node scripts/prepack.mts');
	expect(content.scripts.postpack).toBe('node scripts/postpack.mts');
});

it('package.json publishes every built node and credential', () => {
	expect(content.files).toEqual(['dist']);
	expect(content.n8n).toMatchObject({ n8nNodesApiVersion: 1 });
	const built = globSync('nodes/**/*.node.ts', { cwd: root });
	expect(content.n8n.nodes).toEqual(
		built.map((path) => `dist/${path.replace(/\.ts$/, '.js')}`).sort(),
	);
	const named = [...content.n8n.nodes, ...content.n8n.credentials];
	for (const path of named) {
		expect(path).toMatch(/^dist\/(nodes|credentials)\/.+\.(node|credentials)\.js$/);
		const source = path.replace(/^dist\//, '').replace(/\.js$/, '.ts');
		expect([source, existsSync(join(root, source))]).toEqual([source, true]);
	}
});

it('package.json has only public addresses', () => {
	const hosts = [...text.matchAll(/https?:\/\/([^/"#]+)/g)].map(([, host]) => host);
	expect([...new Set(hosts)]).toEqual(['github.com']);
});
