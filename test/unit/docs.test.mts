/** The pages that are made from something else say what that says. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderPage } from '../../bench/report/document.mts';
import { collectForms } from '../../nodes/Dossier/execution/labels';
import { PRESETS } from '../../nodes/Dossier/trigger/scheme';
import { verifyDelivery } from '../../nodes/Dossier/trigger/verify';
import { described, generatedPages } from '../../scripts/docs/generatedPages.mts';
import { problemSamples } from '../../scripts/docs/errors.mts';

const root = join(__dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const { action, trigger, credentials } = described;
const pages = generatedPages(root);

/** If one of these fails: run `npm run docs`, look at what changed, and commit it. */
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

it('docs/benchmarks.md is made from the stored results', async () => {
	expect(read('docs/benchmarks.md')).toBe(await renderPage(root));
});

it('docs/installation.md and the README name the version that is packed, and the n8n that is tested', () => {
	const version = (path: string): string => JSON.parse(read(path)).version;
	const named = (path: string) =>
		new Set([...read(path).matchAll(/n8n-nodes-dossier[-@](\d[\d.]*\d)/g)].map(([, one]) => one));
	for (const path of ['README.md', 'docs/installation.md']) {
		expect([path, [...named(path)]]).toEqual([path, [version('package.json')]]);
	}
	expect(read('README.md')).toContain(`"version":"${version('package.json')}"`);
	for (const host of ['n8n-1', 'n8n-2']) {
		const { dependencies } = JSON.parse(read(`hosts/${host}/package.json`));
		expect(read('docs/installation.md')).toContain(`| ${dependencies.n8n} |`);
	}
});

it('The README can be read in some minutes', () => {
	const text = read('README.md').replace(/<details>[^]*?<\/details>/, '');
	expect(text.split(/\s+/).length).toBeLessThan(1000);
});

describe('The sentences of the nodes', () => {
	const forms = collectForms([...action.properties, ...trigger.properties]);
	const samples = problemSamples(forms);

	it.each(samples)('name what happened: $code', (sample) => {
		const { message, hint } = sample;
		expect(message).toMatch(/^\S.*[^.\s]$/s);
		expect(`${message} ${hint ?? ''}`).not.toMatch(/undefined|null|NaN|\[object/);
	});

	it('say where to report an error that nothing explains', () => {
		const { bugs } = JSON.parse(read('package.json')) as { bugs: { url: string } };
		const unexpected = samples.find(({ code }) => code === 'UNEXPECTED');
		expect(unexpected?.hint).toContain(bugs.url.replace('/new/choose', ''));
	});

	it('name fields as the form does', () => {
		const shown = new Set(
			[...action.properties, ...trigger.properties, ...credentials.flatMap((one) => one.properties)]
				.flatMap((field) => [field, ...(field.options ?? []), ...(field.modes ?? [])])
				.flatMap((field) => ['displayName' in field ? field.displayName : '', field.name])
				.concat('Dossier API'),
		);
		const named = samples.flatMap(({ message, hint }) =>
			[...`${message} ${hint}`.matchAll(/(?<=\s)'([^']+)'/g)].map(([, label]) => label),
		);
		expect(named.length).toBeGreaterThan(10);
		expect(named.filter((label) => !shown.has(label ?? ''))).toEqual([]);
	});
});

describe('The page about the trigger', () => {
	const scheme = { ...PRESETS.headers, content: '{id}.{timestamp}.{body}' };
	const now = Date.UTC(2026, 0, 1);
	const delivery = { rawBody: Buffer.from('{}'), headers: {}, secrets: ['s'], scheme, now };
	const signed = { [scheme.signatureHeader]: `sha256=${'0'.repeat(64)}` };
	const identified = { ...signed, [scheme.idHeader]: 'evt_1' };

	it.each([
		['no signature', {}],
		['a signature in another form', { headers: { [scheme.signatureHeader]: 't=1;v=?' } }],
		['no secret', { headers: identified, secrets: [], scheme: PRESETS.headers }],
		['no id', { headers: signed }],
		['no timestamp', { headers: identified }],
		[
			'a wrong signature',
			{ headers: { ...identified, [scheme.timestampHeader]: String(now / 1000) } },
		],
	])('explains why a delivery with %s is refused', (_, changes) => {
		const verdict = verifyDelivery({ ...delivery, ...changes });
		if (verdict.ok) throw new Error('It was not refused');
		const words = verdict.reason.replace(/x-webhook-\S+/, '…');
		expect(read('docs/trigger.md')).toContain(words);
	});
});
