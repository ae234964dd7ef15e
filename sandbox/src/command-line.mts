import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { profiles, switchTable } from './contract/switches.mts';
import { checkOptions, parseFlag } from './options.mts';
import type { SandboxOptions } from './options.mts';
import { parseObject, toText } from './platform/json.mts';

const usage = `The dossier service on this machine.

  dossier-sandbox [--port N] [--data DIR] [--seed FILE] [--examples] [--profile NAME] [--json]
  dossier-sandbox init [FILE]   writes a seed file to begin with (default seed.yaml)

  --port N             the port to listen on, 0 for any free one (default 4170)
  --host ADDRESS       the address to listen on (default 127.0.0.1: only this machine can connect)
  --base-url URL       the address that callers use, if that is another one, such as http://sandbox:4170
  --download-port N    the port of signed downloads (default 0: any free one)
  --data DIR           keep state and files in DIR across restarts (default: temporary)
  --keys KIND          the keys of new data: well-known, the same on every start, or random
                       (default: well-known if only this machine can connect)
  --seed FILE          organizations and records for new data, as YAML or JSON
                       (default: seed.yaml, if this folder has it)
  --examples           add example records to the test data of a new start
  --environment E      production, or sandbox: only Enterprise organizations (default production)
  --profile NAME       how the service answers if the contract only assumes it:
                       ${Object.keys(profiles).join(', ')} (default: default)
  --set SWITCH=VALUE   one such answer; can be given several times, --list-switches names them
  --list-switches      print the switches with their values, and the assumption of each
  --rate-limits RULE   plan, or off (default plan)
  --max-file-bytes N   the largest file (default 2147483648)
  --control REACH      who can use the control room below /_sandbox: loopback, or anywhere (default loopback)
  --control-host NAME  a further name under which other machines can use it, such as sandbox for http://sandbox:4170;
                       can be given several times
  --cors-origin URL    an origin, such as https://portal.example, whose pages may use the service, or * for all;
                       can be given several times (default: only pages of this machine)
  --quiet              do not print a line for each request
  --json               print one line of JSON with the address and the keys, and nothing else
  --version            print the version
  --help               print this

Each option can also be an environment variable, such as DOSSIER_SANDBOX_BASE_URL for --base-url. Several values
have commas between them, and an option without a value is true or false.
`;

/** What a command line asks for: a running sandbox, a new seed file, or a text. */
export type CommandLine =
	| { kind: 'start'; options: SandboxOptions; json: boolean; quiet: boolean }
	| { kind: 'init'; file: string }
	| { kind: 'print'; text: string };

/** The seed file that a start uses if `--seed` names no other. */
const defaultSeed = 'seed.yaml';

const text = { type: 'string' } as const;
const texts = { type: 'string', multiple: true } as const;
const flag = { type: 'boolean' } as const;

const options = {
	port: text,
	host: text,
	'base-url': text,
	'download-port': text,
	data: text,
	keys: text,
	seed: text,
	environment: text,
	profile: text,
	'rate-limits': text,
	'max-file-bytes': text,
	control: text,
	set: texts,
	'control-host': texts,
	'cors-origin': texts,
	examples: flag,
	json: flag,
	quiet: flag,
	'list-switches': flag,
	version: flag,
	help: flag,
};

/** Options of `createSandbox` whose name on the command line is not the same words with hyphens. */
const irregularNames: Record<string, string> = {
	dataDir: '--data',
	controlHosts: '--control-host',
	corsOrigins: '--cors-origin',
};

/** Reads the arguments and the environment. Throws an error with a sentence if one cannot be used. */
export function readCommandLine(args: string[], env: NodeJS.ProcessEnv): CommandLine {
	const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
	const [command, file = defaultSeed] = positionals;
	if (command === 'init') return { kind: 'init', file };
	if (command !== undefined) {
		throw new RangeError(`${command} is not a command. There is init; --help lists the options.`);
	}
	if (values.help) return { kind: 'print', text: usage };
	if (values.version) return { kind: 'print', text: `${readVersion()}\n` };
	if (values['list-switches']) return { kind: 'print', text: listSwitches() };
	const readEnvironment = (option: string) =>
		env[`DOSSIER_SANDBOX_${option.toUpperCase().replaceAll('-', '_')}`];
	const read = (option: keyof typeof values) => values[option] ?? readEnvironment(option);
	const readAll = (option: 'set' | 'control-host' | 'cors-origin') =>
		values[option] ?? readEnvironment(option)?.split(',') ?? [];
	const readFlag = (option: 'examples' | 'json' | 'quiet') =>
		parseFlag(`--${option}`, read(option) ?? false);
	const host = toText(read('host') ?? '127.0.0.1');
	const control = read('control') ?? 'loopback';
	const controlHosts = readAll('control-host');
	const isPrivate =
		/^(127\.|localhost$|::1$)/.test(host) && control === 'loopback' && controlHosts.length === 0;
	const given: Record<string, unknown> = {
		port: toNumber(read('port') ?? '4170'),
		host,
		baseUrl: read('base-url'),
		downloadPort: toNumber(read('download-port')),
		dataDir: read('data'),
		seed: read('seed') ?? (existsSync(defaultSeed) ? defaultSeed : undefined),
		examples: readFlag('examples'),
		keys: read('keys') ?? (isPrivate ? 'well-known' : 'random'),
		environment: read('environment') ?? 'production',
		profile: read('profile'),
		switches: Object.fromEntries(readAll('set').map(parseSwitch)),
		rateLimits: read('rate-limits') ?? 'plan',
		maxFileBytes: toNumber(read('max-file-bytes')),
		control,
		controlHosts,
		corsOrigins: readAll('cors-origin'),
	};
	checkOptions(given, nameOption);
	return { kind: 'start', options: given, json: readFlag('json'), quiet: readFlag('quiet') };
}

function nameOption(name: string): string {
	return (
		irregularNames[name] ?? `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
	);
}

function readVersion(): string {
	// By the package's own name, since the sources and what is built from them lie at different depths below its package.json.
	const file = createRequire(import.meta.url).resolve('dossier-sandbox/package.json');
	return toText(parseObject(readFileSync(file, 'utf8')).version);
}

/** The number in a text. What is not a number comes back unchanged, so that the refusal can show it. */
function toNumber(given: unknown): unknown {
	const number = Number(given);
	return toText(given).trim() === '' || Number.isNaN(number) ? given : number;
}

function parseSwitch(text: string): [name: string, value: string] {
	const [name = '', ...value] = text.split('=');
	if (value.length === 0) throw new Error(`--set ${text} has no value. Give --set switch=value.`);
	return [name, value.join('=')];
}

function listSwitches(): string {
	const lines = Object.entries(switchTable).map(
		([name, { assumption, values }]) =>
			`  ${name.padEnd(20)} ${assumption}  ${values.join(' | ')}\n`,
	);
	return `The first value of each is what the contract chose.\n\n${lines.join('')}`;
}
