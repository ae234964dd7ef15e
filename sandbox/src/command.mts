import { writeFileSync } from 'node:fs';
import { readCommandLine } from './command-line.mts';
import type { CommandLine } from './command-line.mts';
import { readFailureCode } from './database/failures.mts';
import { starterSeed } from './control/seed/starter.mts';
import { createSandbox } from './index.mts';
import type { Sandbox, SandboxOptions } from './index.mts';
import { readErrorCode } from './requests/journal.mts';
import type { JournalEntry } from './requests/journal.mts';

// The files hold keys and secrets, so only their owner may read them.
process.umask(0o077);

async function describeStart(sandbox: Sandbox, settings: SandboxOptions): Promise<string> {
	const { url, operatorToken, isFirstStart } = sandbox;
	const organizations = await sandbox.listOrganizations();
	const { examples, seed } = settings;
	let note = '';
	if ((examples || seed !== undefined) && !isFirstStart) {
		note = '\nThe data folder had data before, so nothing was added to it.';
	} else if (typeof seed === 'string') note = `\nIt begins with ${seed}.`;
	const state = settings.dataDir ? `kept in ${settings.dataDir}` : 'temporary, gone when this ends';
	const lines = organizations.map(
		({ name, plan, id, tenantId, businessUnitId, ...keys }) => `
${name} (plan ${plan})
  Organization ID  ${id}
  Live key         ${keys.liveKey}
  Test key         ${keys.testKey}
  Tenant ID        ${tenantId}
  Business unit ID ${businessUnitId}
  Customer token   ${keys.customerToken}`,
	);
	return `Dossier sandbox (${settings.environment} environment, data ${state})${note}
  Sandbox URL      ${url}/v1
  Control room     ${url}/_sandbox/ in a browser, ${url}/_sandbox/api for programs
${lines.join('\n')}

Operator token     ${operatorToken}

Press Ctrl-C to stop.`;
}

/** How often the command looks whether npx still runs, in ms. */
const LOOK_MS = 500;

/**
 * Calls back once the shell is gone in which npx started this command: npx passes a signal on to that shell, which does not pass
 * it on. Other parents may end and leave the sandbox running, e.g. a script with `dossier-sandbox &`.
 */
function onEndOfNpx(stop: () => void): void {
	const { npm_lifecycle_event: event, npm_lifecycle_script: script = '' } = process.env;
	if (event !== 'npx' || !script.includes('dossier-sandbox')) return;
	const shell = process.ppid;
	const look = setInterval(() => {
		if (process.ppid === shell) return;
		clearInterval(look);
		stop();
	}, LOOK_MS);
}

/** Writes the seed file to begin with. Throws a sentence if the file exists. */
function writeStarter(file: string): void {
	try {
		writeFileSync(file, starterSeed, { flag: 'wx' });
	} catch (error) {
		if (readFailureCode(error) === 'EEXIST') {
			throw new Error(`${file} exists already. Give another name: dossier-sandbox init FILE`);
		}
		throw error;
	}
	console.log(`${file} is written. Start with it: npx dossier-sandbox --seed ${file}`);
}

function printRequest({ time, method, url, status, duration_ms, answer }: JournalEntry): void {
	const code = readErrorCode(answer.body.text);
	const outcome = [status ?? 'not answered', ...(code === undefined ? [] : [code])].join(' ');
	console.log(`${time.slice(11, 19)}  ${method} ${url}  ${outcome}  ${duration_ms ?? 0} ms`);
}

async function start({
	options,
	json,
	quiet,
}: Extract<CommandLine, { kind: 'start' }>): Promise<void> {
	const onRequest = json || quiet ? undefined : printRequest;
	const sandbox = await createSandbox({ ...options, strict: false, onRequest });
	const stop = () => void sandbox.close().then(() => process.exit(0));
	process.once('SIGINT', stop);
	process.once('SIGTERM', stop);
	process.once('SIGHUP', stop);
	// A child with a channel ends when its parent is gone.
	process.once('disconnect', stop);
	onEndOfNpx(stop);
	const { url, operatorToken } = sandbox;
	const { environment } = options;
	const organizations = await sandbox.listOrganizations();
	console.log(
		json
			? JSON.stringify({ url, base_url: `${url}/v1`, environment, organizations, operatorToken })
			: await describeStart(sandbox, options),
	);
}

async function run(): Promise<void> {
	const wish = readCommandLine(process.argv.slice(2), process.env);
	if (wish.kind === 'start') await start(wish);
	else if (wish.kind === 'init') writeStarter(wish.file);
	else process.stdout.write(wish.text);
}

run().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
