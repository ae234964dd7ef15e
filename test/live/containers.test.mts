/** The steps of the Dockerfiles, run one after the other in an empty folder, since no container can be run here. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { findToolchain } from '../../scripts/process/toolchain.mts';
import { root } from './live.mts';
import { run } from './registry.mts';

interface Compose {
	services: { sandbox: { environment: Record<string, string> } };
}

const INSTALL_MS = 900_000;
const containers = join(root, 'containers');

let folder: string;
let context: string;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'dossier-containers-'));
	context = join(folder, 'context');
	await mkdir(context);
	const toolchain = await findToolchain(root);
	const options = { cwd: root, env: toolchain.env };
	const [npm = 'npm', ...before] = toolchain.npm;
	const pack = [...before, 'pack', '--ignore-scripts', '--pack-destination', context];
	await run(npm, pack, options);
	await run(npm, [...pack, '--workspace', 'sandbox'], options);
	await cp(join(containers, 'start-n8n.sh'), join(context, 'start-n8n.sh'));
}, INSTALL_MS);

afterAll(async () => {
	await rm(folder, { recursive: true, force: true });
});

/** Does what WORKDIR, COPY, ENV and RUN say, below a folder instead of the root. Gives what HEALTHCHECK and CMD say. */
async function build(name: string) {
	const text = await readFile(join(containers, name), 'utf8');
	const image = join(folder, name);
	let place = image;
	const values = new Map<string, string>();
	const commands = new Map<string, string>();
	const done: string[] = [];
	for (const line of text.replaceAll(/\\\n\s*/g, '').split('\n')) {
		const [, step = '', given = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
		const rest = given.replaceAll(/\$\{(\w+)\}/g, (_, one: string) => values.get(one) ?? '');
		if (step === 'WORKDIR') {
			place = join(image, rest);
			await mkdir(place, { recursive: true });
		} else if (step === 'COPY') {
			const [pattern = ''] = rest.split(' ').filter((one) => !one.startsWith('--'));
			await cp(join(context, pattern), join(place, basename(pattern)));
		} else if (step === 'ARG') {
			values.set(...(rest.split('=', 2) as [string, string]));
		} else if (step === 'RUN') {
			// The user of the image does not exist here.
			const command = rest.replace(/ && chown .*$/, '');
			await run('sh', ['-c', command], { cwd: place });
		} else if (step !== '') commands.set(step, rest.replace(/^--.* CMD /, ''));
		if (step !== '') done.push(step);
	}
	return { image, place, commands, done };
}

it(
	'the steps for the sandbox install it, and its command answers the health check',
	async () => {
		const { place, commands, done } = await build('sandbox.Dockerfile');
		expect(done).toEqual(expect.arrayContaining(['WORKDIR', 'COPY', 'RUN']));
		const [command = ''] = JSON.parse(commands.get('CMD') ?? '[]') as string[];
		const compose: Compose = parse(await readFile(join(containers, 'compose.yaml'), 'utf8'));
		const { DOSSIER_SANDBOX_BASE_URL: address, ...kept } = compose.services.sandbox.environment;
		expect(address).toBe('http://sandbox:4170');
		const own = { DOSSIER_SANDBOX_HOST: '127.0.0.1', DOSSIER_SANDBOX_PORT: '0' };
		const child = spawn(process.execPath, [join(place, command)], {
			cwd: place,
			env: { ...process.env, ...kept, ...own, DOSSIER_SANDBOX_JSON: 'true' },
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		try {
			const [line] = await once(child.stdout, 'data');
			const { url }: { url: string } = JSON.parse(String(line));
			const [, ...check] = JSON.parse(commands.get('HEALTHCHECK') ?? '[]') as string[];
			const script = check.map((one) => one.replace('http://127.0.0.1:4170', url));
			await run(process.execPath, script);
			const journal = await fetch(`${url}/_sandbox/api/journal`);
			expect(await journal.json()).toEqual({ data: [] });
			await expect(
				run(
					process.execPath,
					check.map((one) => one.replace('4170', '1')),
				),
			).rejects.toThrow();
			expect(await readdir(join(place, 'data'))).toContain('service.db');
		} finally {
			child.kill('SIGKILL');
		}
	},
	INSTALL_MS,
);

it(
	'the steps for n8n put the nodes where n8n looks for them',
	async () => {
		const { image, done } = await build('n8n.Dockerfile');
		expect(done.filter((step) => step === 'COPY')).toHaveLength(2);
		const HOME = join(image, 'home/node');
		const nodes = join(HOME, '.n8n/nodes/node_modules/n8n-nodes-dossier');
		await mkdir(nodes, { recursive: true });
		await writeFile(join(nodes, 'older.js'), '');
		// The command with which the image ends does not exist here.
		const script = join(image, 'opt/dossier/start-n8n.sh');
		const start = (await readFile(script, 'utf8')).replace(/^exec .*$/m, '');
		await writeFile(script, start);
		await run('sh', [script], { env: { ...process.env, HOME } });
		expect(await readdir(join(nodes, 'dist/nodes/Dossier'))).toContain('Dossier.node.js');
		expect(await readdir(nodes)).not.toContain('older.js');
	},
	INSTALL_MS,
);
