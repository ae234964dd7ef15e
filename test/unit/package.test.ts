/** What n8n asks of a community package that it shall verify, as far as package.json says it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const text = readFileSync(join(root, 'package.json'), 'utf8');
const content = JSON.parse(text) as Record<string, unknown> & {
	n8n: { nodes: string[]; credentials: string[] } & Record<string, unknown>;
	scripts: Record<string, string>;
};

it('has the name, the keyword and the licence of a community package', () => {
	expect(content).toMatchObject({
		name: expect.stringMatching(/^n8n-nodes-/),
		version: expect.stringMatching(/^\d+\.\d+\.\d+/),
		description: expect.stringMatching(/\S/),
		keywords: expect.arrayContaining(['n8n-community-node-package']),
		license: 'MIT',
	});
	expect(readFileSync(join(root, 'LICENSE'), 'utf8')).toMatch(/^MIT License/);
});

it('says who wrote it and where its source is', () => {
	expect(content).toMatchObject({
		author: { name: expect.stringMatching(/\S/), email: expect.stringMatching(/@/) },
		homepage: expect.stringMatching(/^https:/),
		repository: { type: 'git', url: expect.stringMatching(/^git\+https:.*\.git$/) },
	});
});

it('needs nothing at run time but what n8n gives', () => {
	expect(content.peerDependencies).toEqual({ 'n8n-workflow': '*' });
	const others = ['dependencies', 'optionalDependencies', 'bundledDependencies', 'overrides'];
	expect(others.filter((name) => name in content)).toEqual([]);
});

it('runs nothing where it is installed', () => {
	const forbidden = /^(pre|post)?(install|prepare|publish)$|^prepublish$|^(pre|post)pack$/;
	expect(Object.keys(content.scripts).filter((name) => forbidden.test(name))).toEqual([]);
});

it('publishes the built nodes and credentials, and every one of them', () => {
	expect(content.files).toEqual(['dist']);
	expect(content.n8n).toMatchObject({ n8nNodesApiVersion: 1, strict: true });
	const named = [...content.n8n.nodes, ...content.n8n.credentials];
	for (const path of named) {
		expect(path).toMatch(/^dist\/(nodes|credentials)\/.+\.(node|credentials)\.js$/);
		const source = path.replace(/^dist\//, '').replace(/\.js$/, '.ts');
		expect([source, existsSync(join(root, source))]).toEqual([source, true]);
	}
});

it('names no place but the public ones', () => {
	const hosts = [...text.matchAll(/https?:\/\/([^/"#]+)/g)].map(([, host]) => host);
	expect([...new Set(hosts)]).toEqual(['github.com']);
});
