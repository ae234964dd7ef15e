import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const scripts = join(__dirname, '../../../scripts');
let folder: string;

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'run-'));
});

afterEach(async () => {
	await rm(folder, { recursive: true, force: true });
});

/** Runs a job in a process of its own. Sends it the signal once it prints "ready". */
async function run(job: string, signal?: NodeJS.Signals) {
	const path = join(folder, 'job.mts');
	await writeFile(
		path,
		`import { runToEnd } from '${scripts}/process/lifecycle.mts';
		import { startGroup } from '${scripts}/process/group.mts';
		import { PlainError } from '${scripts}/process/plainError.mts';
		const undo = (what) => async () => console.log('undone: ' + what);
		await runToEnd(async (lifecycle) => { ${job} });`,
	);
	const child = spawn(process.execPath, [path], { stdio: ['ignore', 'pipe', 'inherit'] });
	let output = '';
	child.stdout.setEncoding('utf8').on('data', (text: string) => {
		if (signal && !output.includes('ready') && text.includes('ready')) child.kill(signal);
		output += text;
	});
	const [code]: unknown[] = await once(child, 'close');
	return { code, output };
}

const FOREVER = 'await new Promise(() => setInterval(() => undefined, 1000));';

describe('a run', () => {
	it('undoes its work in reverse order and exits with the code of its job', async () => {
		const { code, output } = await run(
			`lifecycle.onEnd(undo('a')); lifecycle.onEnd(undo('b')); return 3;`,
		);
		expect({ code, output }).toEqual({ code: 3, output: 'undone: b\nundone: a\n' });
	});

	it('prints only the message of an error that a person can fix', async () => {
		const { code, output } = await run(
			`lifecycle.onEnd(undo('a')); throw new PlainError('Do this.');`,
		);
		expect({ code, output }).toEqual({ code: 1, output: '\nDo this.\nundone: a\n' });
	});

	it.each([
		['SIGINT', 130],
		['SIGTERM', 143],
		['SIGHUP', 129],
	] as const)(
		'undoes its work at %s too, and exits with the code of the signal',
		async (signal, expected) => {
			const job = `lifecycle.onEnd(undo('a')); console.log('ready'); ${FOREVER}`;
			const { code, output } = await run(job, signal);
			expect(code).toBe(expected);
			expect(output).toContain('undone: a');
		},
	);

	it('exits with 0 on Ctrl-C if it was to stay up', async () => {
		const { code } = await run(
			`setInterval(() => undefined, 1000); console.log('ready'); await lifecycle.stayUp();`,
			'SIGINT',
		);
		expect(code).toBe(0);
	});

	it('leaves no process running, not even a grandchild that ignores SIGTERM', async () => {
		const stubborn = `trap "" TERM; echo $$; sleep 600 & wait`;
		const { output } = await run(
			`startGroup(lifecycle, 'sh', ['-c', ${JSON.stringify(`(${stubborn}) & wait`)}], {
				cwd: '/', env: process.env, graceMs: 100, onLine: (line) => console.log('ready ' + line),
			}); ${FOREVER}`,
			'SIGINT',
		);
		const pid = Number(/ready (\d+)/.exec(output)?.[1]);
		expect(pid).toBeGreaterThan(1);
		expect(() => process.kill(-pid, 0)).toThrow('ESRCH');
	});
});
