import { parseArgs } from 'node:util';
import { createSandbox } from './index.ts';
import type { ControlReach, Dialect, Environment, Profile, Sandbox, Switches } from './index.ts';
import { readDialectFile } from './dialect/parse.ts';
import { profiles, readSwitches, switchTable } from './contract/switches.ts';

const usage = `The dossier service on this machine.

  dossier-sandbox [--port N] [--data DIR] [--seed FILE] [--examples] [--profile NAME] [--json]

  --port N             the port to listen on, 0 for any free one (default 4010)
  --host ADDRESS       the address to listen on (default 127.0.0.1: only this machine can connect)
  --base-url URL       the address that callers use, if that is another one, such as http://sandbox:4010
  --download-port N    the port of signed downloads (default 0: any free one)
  --data DIR           keep state and files in DIR across restarts (default: temporary)
  --keys KIND          the keys of new data: well-known, the same on every start, or random
                       (default: well-known if only this machine can connect)
  --seed FILE          organizations and records for new data, as YAML or JSON
  --examples           add example records to new data
  --environment E      production, or sandbox: only Enterprise organizations (default production)
  --profile NAME       how the service answers if the contract only assumes it:
                       ${Object.keys(profiles).join(', ')} (default: default)
  --dialect FILE       what the service calls things: a JSON file, as docs/dialects.md describes it
  --set SWITCH=VALUE   one such answer; can be given several times, --list-switches names them
  --list-switches      print the switches with their values, and the assumption of each
  --rate-limits RULE   plan, or off (default plan)
  --max-file-bytes N   the largest file (default 2147483648)
  --control REACH      who can use the control room below /_sandbox: loopback, or anywhere (default loopback)
  --control-host NAME  a further name under which other machines can use it, such as sandbox for http://sandbox:4010;
                       can be given several times
  --json               print one line of JSON with the address and the keys, and nothing else
  --help               print this

Each option can also be an environment variable, such as DOSSIER_SANDBOX_BASE_URL for --base-url. Several values
have commas between them, and an option without a value is true or false.
`;

interface Settings {
	port: number;
	host: string;
	downloadPort: number;
	baseUrl?: string;
	dataDir?: string;
	seed?: string;
	examples: boolean;
	keys: 'random' | 'well-known';
	maxFileBytes: number;
	environment: Environment;
	profile: Profile;
	switches: Partial<Switches>;
	dialect?: Dialect;
	rateLimits: 'plan' | 'off';
	control: ControlReach;
	controlHosts: string[];
	json: boolean;
}

const text = { type: 'string' } as const;

/** The options that take one value. */
const texts = {
	port: text,
	host: text,
	'base-url': text,
	'download-port': text,
	data: text,
	keys: text,
	seed: text,
	environment: text,
	profile: text,
	dialect: text,
	'rate-limits': text,
	'max-file-bytes': text,
	control: text,
};

/** The value of an option in the environment, such as `DOSSIER_SANDBOX_PORT` for `port`. */
function readEnvironment(option: string): string | undefined {
	return process.env[`DOSSIER_SANDBOX_${option.toUpperCase().replaceAll('-', '_')}`];
}

function readSettings(): Settings | string {
	const { values } = parseArgs({
		options: {
			...texts,
			set: { type: 'string', multiple: true },
			'control-host': { type: 'string', multiple: true },
			examples: { type: 'boolean' },
			json: { type: 'boolean' },
			'list-switches': { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) return usage;
	if (values['list-switches']) return switchList();
	const read = (option: keyof typeof texts) => values[option] ?? readEnvironment(option);
	const readAll = (option: 'set' | 'control-host') =>
		values[option] ?? readEnvironment(option)?.split(',') ?? [];
	const readFlag = (option: 'examples' | 'json') => {
		const flag = String(values[option] ?? readEnvironment(option) ?? false);
		return parseChoice(`--${option}`, flag, ['true', 'false']) === 'true';
	};
	const host = read('host') ?? '127.0.0.1';
	const [data, baseUrl, seed] = [read('data'), read('base-url'), read('seed')];
	const dialect = read('dialect');
	const controlHosts = readAll('control-host').map(parseHost);
	const control = parseChoice('--control', read('control') ?? 'loopback', ['loopback', 'anywhere']);
	const isPrivate =
		/^(127\.|localhost$|::1$)/.test(host) && control === 'loopback' && controlHosts.length === 0;
	const keys = read('keys') ?? (isPrivate ? 'well-known' : 'random');
	return {
		port: parseInteger('--port', read('port') ?? '4010', 65535),
		host,
		...(baseUrl !== undefined && { baseUrl: parseBaseUrl(baseUrl) }),
		downloadPort: parseInteger('--download-port', read('download-port') ?? '0', 65535),
		...(data !== undefined && { dataDir: data }),
		...(seed !== undefined && { seed }),
		examples: readFlag('examples'),
		keys: parseChoice('--keys', keys, ['well-known', 'random']),
		environment: parseChoice('--environment', read('environment') ?? 'production', [
			'production',
			'sandbox',
		]),
		profile: parseChoice('--profile', read('profile') ?? 'default', [
			'default',
			'given-only',
			'alternate',
		]),
		switches: readSwitches(readAll('set').map(parseSwitch)),
		...(dialect !== undefined && { dialect: readDialectFile(dialect) }),
		rateLimits: parseChoice('--rate-limits', read('rate-limits') ?? 'plan', ['plan', 'off']),
		maxFileBytes: parseInteger(
			'--max-file-bytes',
			read('max-file-bytes') ?? String(2 * 1024 ** 3),
			Number.MAX_SAFE_INTEGER,
		),
		control,
		controlHosts,
		json: readFlag('json'),
	};
}

function parseInteger(option: string, text: string, max: number): number {
	const number = Number(text);
	if (text.trim() === '' || !Number.isInteger(number) || number < 0 || number > max) {
		throw new Error(`${option} cannot be ${text}. Give a whole number from 0 to ${max}.`);
	}
	return number;
}

function parseHost(text: string): string {
	if (/^[a-z0-9._-]+$/i.test(text)) return text;
	throw new Error(
		`--control-host ${text} is not a name such as sandbox, without http:// and a port.`,
	);
}

function parseBaseUrl(text: string): string {
	if (!/^https?:\/\/[^/]+\/?$/.test(text) || !URL.canParse(text)) {
		throw new Error(`--base-url ${text} is not an address such as http://sandbox:4010.`);
	}
	return text.replace(/\/$/, '');
}

function parseChoice<T extends string>(
	option: string,
	text: string,
	choices: readonly [T, ...T[]],
): T {
	const choice = choices.find((one) => one === text);
	if (choice !== undefined) return choice;
	throw new Error(`${option} ${text} does not exist. Give ${choices.join(' or ')}.`);
}

function parseSwitch(text: string): [name: string, value: string] {
	const [name = '', ...value] = text.split('=');
	if (value.length === 0) throw new Error(`--set ${text} has no value. Give --set switch=value.`);
	return [name, value.join('=')];
}

function switchList(): string {
	const lines = Object.entries(switchTable).map(
		([name, { assumption, values }]) =>
			`  ${name.padEnd(20)} ${assumption}  ${values.join(' | ')}\n`,
	);
	return `The first value of each is what the contract chose.\n\n${lines.join('')}`;
}

async function describe(sandbox: Sandbox, settings: Settings): Promise<string> {
	const { url, operatorToken, isFirstStart } = sandbox;
	const organizations = await sandbox.listOrganizations();
	const isFilled = settings.examples || settings.seed !== undefined;
	const note =
		isFilled && !isFirstStart
			? '\nThe data folder had data before, so nothing was added to it.'
			: '';
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
  Base URL         ${url}/v1
  Control room     ${url}/_sandbox/ in a browser, ${url}/_sandbox/api for programs
${lines.join('\n')}

Operator token     ${operatorToken}

Press Ctrl-C to stop.`;
}

async function run(): Promise<void> {
	const settings = readSettings();
	if (typeof settings === 'string') {
		process.stdout.write(settings);
		return;
	}
	const sandbox = await createSandbox({ ...settings, strict: false });
	const stop = () => void sandbox.close().then(() => process.exit(0));
	process.once('SIGINT', stop);
	process.once('SIGTERM', stop);
	// A child with a channel ends when its parent is gone.
	process.once('disconnect', stop);
	const { url, operatorToken } = sandbox;
	const { environment } = settings;
	const organizations = await sandbox.listOrganizations();
	console.log(
		settings.json
			? JSON.stringify({ url, base_url: `${url}/v1`, environment, organizations, operatorToken })
			: await describe(sandbox, settings),
	);
}

try {
	await run();
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
