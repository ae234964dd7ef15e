import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readCommandLine } from '../src/command-line.mts';
import { profiles, switchTable } from '../src/contract/switches.mts';
import { spawnCommand } from './child.mts';
import { connect, findOrganization } from './clients.mts';
import { useSandbox } from './use-sandbox.mts';

const readme = readFileSync(join(__dirname, '../README.md'), 'utf8');
const blocks = [...readme.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, block = '']) => block);
const starts = blocks.flatMap((block) => block.match(/^npx .*$/gm) ?? []);
const commands = blocks.filter((block) => !/^np[mx] /.test(block));

const { control, sandbox, openCommand, dataDir: folder } = useSandbox({ keys: 'well-known' });

test('the commands of the README do what it says when they are pasted one after the other', async () => {
	expect(commands.length).toBeGreaterThanOrEqual(5);
	const script = commands.join('\n').replaceAll('http://127.0.0.1:4170', sandbox().url);
	const strict = `set -euo pipefail\ncurl() { command curl --fail "$@"; }\n`;
	await promisify(execFile)('bash', ['-c', strict + script], { cwd: folder });
	const organization = findOrganization(sandbox(), 'enterprise');
	const client = connect(sandbox(), organization);
	const { data: dossiers } = await client.get('/dossiers', { params: { reference: '2026-0042' } });
	expect(dossiers.data).toHaveLength(1);
	const { data: documents } = await client.get(`/dossiers/${dossiers.data[0].id}/documents`);
	expect(documents.data).toMatchObject([{ file_name: 'lease.txt', category: 'contract' }]);
	expect((await control.client.get('/faults')).data.data).toMatchObject([
		{ plan: { operation: 'documents.upload', status: 503, times: 2 } },
	]);
	expect((await control.client.get('/webhooks')).data.data).toMatchObject([
		{ organization_id: organization.id, events: ['document.uploaded'] },
	]);
	expect(readFileSync(join(folder, 'openapi.yaml'), 'utf8')).toContain(sandbox().url);
});

test('the sandbox starts as the README says, with the options that it names', async () => {
	expect(starts[0]).toBe('npx dossier-sandbox');
	const { version } = JSON.parse(readFileSync(join(__dirname, '../package.json'), 'utf8'));
	expect(readme).toContain(`npm install ./dossier-sandbox-${version}.tgz`);
	const [, seed = ''] = /^```yaml\n([^]*?)^```/m.exec(readme) ?? [];
	const init = spawnCommand(['init', join(folder, 'seed.yaml')]);
	expect(await init.code).toBe(0);
	expect(readFileSync(join(folder, 'seed.yaml'), 'utf8')).toBe(seed);
	for (const line of starts.filter((one) => one.startsWith('npx dossier-sandbox'))) {
		const [, , ...options] = line.split(' ');
		const args = options.map((one) => one.replace(/^\.\/|^(?=seed\.yaml)/, `${folder}/`));
		const started = await openCommand(args);
		const names = (await started.listOrganizations()).map(({ name }) => name);
		const further = line.includes('--seed') ? ['Kanzlei Lindt'] : [];
		expect(names).toEqual(['Enterprise Organization', 'Business Organization', ...further]);
	}
});

test.each([
	['sandbox/README.md', /(DOSSIER_SANDBOX_\w+): '([^']+)'/g],
	['containers/README.md', /(DOSSIER_SANDBOX_\w+)=(\S+)/g],
])('a container that starts as %s says is open to the other side of its port', (path, pattern) => {
	const text = readFileSync(join(__dirname, '../..', path), 'utf8');
	const env = Object.fromEntries(
		[...text.matchAll(pattern)].map(([, name = '', value = '']) => [name, value]),
	);
	expect(readCommandLine([], env)).toMatchObject({
		kind: 'start',
		options: { host: '0.0.0.0', control: 'anywhere', port: 4170 },
	});
});

test('the README and --help name the same options', () => {
	const help = readCommandLine(['--help'], {});
	const readOptions = (text: string, pattern: RegExp) => [
		...new Set([...text.matchAll(pattern)].map(([, name = '']) => name)),
	];
	const described = readOptions(readme, /^\| `(--[\w-]+)/gm);
	const offered = readOptions(help.kind === 'print' ? help.text : '', /^ {2}(--[\w-]+)/gm);
	const mentioned = readOptions(readme, /`(--list-switches)`/g);
	expect([...described, ...mentioned, '--help'].sort()).toEqual(offered.sort());
});

test('the README names every switch with its values, and what the profiles set', () => {
	const rows = [...readme.matchAll(/^\| `(\w+)` \| (`[^|]+) \| ([^|]*)\| ([^|]*)\|$/gm)];
	const cell = (value: string, usual: string) => (value === usual ? '' : `\`${value}\``);
	const expected = Object.entries(switchTable).map(([name, { values }]) => {
		const [usual, given, alternate] = [
			profiles.default,
			profiles['given-only'],
			profiles.alternate,
		].map((profile) => new Map<string, string>(Object.entries(profile)).get(name) ?? '');
		return [name, [...values], cell(given ?? '', usual ?? ''), cell(alternate ?? '', usual ?? '')];
	});
	const described = rows.map(([, name = '', values = '', given = '', alternate = '']) => {
		const known: readonly string[] = new Map(Object.entries(switchTable)).get(name)?.values ?? [];
		const named = [...values.matchAll(/`([\w-]+)`/g)].map(([, value = '']) => value);
		return [name, known.filter((one) => named.includes(one)), given.trim(), alternate.trim()];
	});
	expect(described).toEqual(expected);
});
