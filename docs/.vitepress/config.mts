/** The site over docs/, whose pages can also be read where they lie: `npm run lint:site` builds it, and fails on a dead link. */
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { defineConfig } from 'vitepress';

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { homepage: string };
const repository = manifest.homepage.replace(/#.*$/, '');
/** GitHub serves the pages of a repository below its name. */
const base = `/${repository.split('/').at(-1)}/`;

/** A link out of docs/ leads to the file in the repository, and one to a README to the index of its folder. */
function leadOut(href: string, page: string): string {
	if (/^([a-z]+:|#|\/)/i.test(href)) return href;
	const target = posix.join('docs', posix.dirname(page), href);
	return target.startsWith('docs/')
		? href.replace(/README\.md/, 'index.md')
		: `${repository}/blob/main/${target}`;
}

const page = (text: string, link: string) => ({ text, link });

export default defineConfig({
	title: 'n8n-nodes-dossier',
	description: 'n8n community nodes for dossiers, documents, portal users and tasks',
	base,
	outDir: '../.cache/site',
	cacheDir: '../.cache/vitepress',
	rewrites: { 'README.md': 'index.md', 'operations/README.md': 'operations/index.md' },
	// errors.md names the address of an n8n on the reader's machine
	ignoreDeadLinks: 'localhostLinks',
	markdown: {
		// As GitHub makes them, so that a link to a heading leads there in both places
		anchor: {
			slugify: (heading) =>
				heading
					.toLowerCase()
					.replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
					.replaceAll(' ', '-'),
		},
		config: (md) => {
			// An expression of n8n, such as {{ $json.id }}, is not one of Vue
			md.renderer.rules.text = (tokens, at) =>
				md.utils.escapeHtml(tokens[at]?.content ?? '').replaceAll('{{', '&#123;&#123;');
			md.core.ruler.push('site', ({ tokens, env }) => {
				const { relativePath } = env as { relativePath: string };
				for (const token of tokens.flatMap(({ children }) => children ?? [])) {
					if (token.type === 'code_inline') token.attrSet('v-pre', '');
					if (token.type !== 'link_open') continue;
					token.attrSet('href', leadOut(token.attrGet('href') ?? '', relativePath));
				}
			});
		},
	},
	themeConfig: {
		search: { provider: 'local' },
		outline: [2, 3],
		socialLinks: [{ icon: 'github', link: repository }],
		sidebar: [
			{
				text: 'Begin',
				items: [
					page('Overview', '/'),
					page('First steps', '/first-steps'),
					page('Installation', '/installation'),
					page('Credentials', '/credentials'),
					page('From the sandbox to production', '/from-sandbox-to-production'),
				],
			},
			{
				text: 'Use',
				items: [
					page('Usage', '/usage'),
					page('Operations', '/operations/'),
					page('Set up a trigger', '/trigger'),
					page('What the triggers guarantee', '/trigger-guarantees'),
					page('Large files', '/large-files'),
					page('Rate limits', '/rate-limits'),
					page('Agents and MCP', '/agents'),
					page('Errors', '/errors'),
				],
			},
			{
				text: 'If your service differs',
				items: [
					page('What to do', '/your-service'),
					page('Dialects', '/dialects'),
					page('The contract', '/contract'),
				],
			},
			{
				text: 'Operate',
				items: [
					page('Scaling', '/scaling'),
					page('Security', '/security'),
					page('Benchmarks', '/benchmarks'),
					page('Glossary', '/glossary'),
				],
			},
		],
	},
});
