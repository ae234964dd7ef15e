/** The steps of the Dockerfiles, run one after the other in an empty folder, since no container can be run here. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, glob, mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { findToolchain } from '../../scripts/process/toolchain.ts';
import { root } from './live.ts';
import { run } from './registry.ts';

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
}, INSTALL_MS);

afterAll(async () => {
	await rm(folder, { recursive: true, force: true });
});

/** Does what WORKDIR, COPY, ENV and RUN say, below a folder instead of the root. Gives what HEALTHCHECK and CMD say. */
async function build(name: string) {
	const text = await readFile(join(containers, name), 'utf8');
	const image = join(folder, name);
	let place = image;
	const env: Record<string, string> = {};
	const commands = new Map<string, string>();
	const done: string[] = [];
	for (const line of text.replaceAll(/\\\n\s*/g, '').split('\n')) {
		const [, step = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
		if (step === 'WORKDIR') {
			place = join(image, rest);
			await mkdir(place, { recursive: true });
		} else if (step === 'COPY') {
			const [pattern = ''] = rest.split(' ').filter((one) => !one.startsWith('--'));
			for await (const path of glob(join(context, pattern)))
				await cp(path, join(place, basename(path)));
		} else if (step === 'ENV') {
			for (const pair of rest.split(/\s+/))
				env[pair.split('=')[0] ?? ''] = pair.split('=')[1] ?? '';
		} else if (step === 'RUN') {
			// The user of the image does not exist here.
			const command = rest.replace(/ && chown .*$/, '');
			await run('sh', ['-c', command], { cwd: place });
		} else if (step !== '') commands.set(step, rest.replace(/^--.* CMD /, ''));
		if (step !== '') done.push(step);
	}
	return { place, env, commands, done };
}

it(
	'the steps for the sandbox install it, and its command answers the health check',
	async () => {
		const { place, env, commands, done } = await build('sandbox.Dockerfile');
		expect(done).toEqual(expect.arrayContaining(['WORKDIR', 'COPY', 'RUN', 'ENV']));
		const [command = ''] = JSON.parse(commands.get('CMD') ?? '[]') as string[];
		const { DOSSIER_SANDBOX_BASE_URL: address, ...kept } = env;
		expect(address).toBe('http://sandbox:4010');
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
			const script = check.map((one) => one.replace('http://127.0.0.1:4010', url));
			await run(process.execPath, script);
			await expect(
				run(
					process.execPath,
					check.map((one) => one.replace('4010', '1')),
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
		const { done } = await build('n8n.Dockerfile');
		expect(done).toEqual(['FROM', 'USER', 'WORKDIR', 'COPY', 'RUN', 'WORKDIR']);
		const nodes = join(folder, 'n8n.Dockerfile/home/node/.n8n/nodes/node_modules');
		expect(await readdir(nodes)).toContain('n8n-nodes-dossier');
		const types = await readdir(join(nodes, 'n8n-nodes-dossier/dist/nodes/Dossier'));
		expect(types).toContain('Dossier.node.js');
	},
	INSTALL_MS,
);
