#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { createSandbox } from './index.ts';
import type { ControlReach, Dialect, Environment, Profile, Sandbox, Switches } from './index.ts';
import { readDialectFile } from './dialect/parse.ts';
import { profiles, readSwitches, switchTable } from './contract/switches.ts';

const usage = `The dossier service on this machine.

  dossier-sandbox [--port N] [--data DIR] [--environment production|sandbox] [--profile NAME] [--json]

  --port N             the port to listen on, 0 for any free one (default 4010)
  --host ADDRESS       the address to listen on (default 127.0.0.1: only this machine can connect)
  --base-url URL       the address that callers use, if that is another one, such as http://sandbox:4010
  --download-port N    the port of signed downloads (default 0: any free one)
  --data DIR           keep state and files in DIR across restarts (default: temporary)
  --keys KIND          the keys of new data: well-known, the same on every start, or random
                       (default: well-known if only this machine can connect)
  --environment E      production, or sandbox: only Enterprise organizations (default production)
  --profile NAME       how the service answers if the contract only assumes it:
                       ${Object.keys(profiles).join(', ')} (default: default)
  --dialect FILE       what the service calls things: a JSON file, as docs/dialects.md describes it
  --set SWITCH=VALUE   one such answer; can be given several times, --list-switches names them
  --list-switches      print the switches with their values, and the assumption of each
  --rate-limits RULE   plan, or off (default plan)
  --max-file-bytes N   the largest file (default 2147483648)
  --control REACH      who can use the control room below /_sandbox: loopback, or anywhere (default loopback)
  --json               print one line of JSON with the address and the keys, and nothing else
  --help               print this

Each option that takes a value can also be an environment variable, such as DOSSIER_SANDBOX_BASE_URL for
--base-url; several values of --set have commas between them.
`;

interface Settings {
	port: number;
	host: string;
	downloadPort: number;
	baseUrl?: string;
	dataDir?: string;
	keys: 'random' | 'well-known';
	maxFileBytes: number;
	environment: Environment;
	profile: Profile;
	switches: Partial<Switches>;
	dialect?: Dialect;
	rateLimits: 'plan' | 'off';
	control: ControlReach;
	json: boolean;
}

/** The value of an option in the environment, such as `DOSSIER_SANDBOX_PORT` for `port`. */
function readEnvironment(option: string): string | undefined {
	return process.env[`DOSSIER_SANDBOX_${option.toUpperCase().replaceAll('-', '_')}`];
}

function readSettings(): Settings | string {
	const { values } = parseArgs({
		options: {
			port: { type: 'string' },
			host: { type: 'string' },
			'base-url': { type: 'string' },
			'download-port': { type: 'string' },
			data: { type: 'string' },
			keys: { type: 'string' },
			environment: { type: 'string' },
			profile: { type: 'string' },
			dialect: { type: 'string' },
			set: { type: 'string', multiple: true },
			'list-switches': { type: 'boolean', default: false },
			'rate-limits': { type: 'string' },
			'max-file-bytes': { type: 'string' },
			control: { type: 'string' },
			json: { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) return usage;
	if (values['list-switches']) return switchList();
	const read = (option: Exclude<keyof typeof values, 'set' | 'json' | 'help' | 'list-switches'>) =>
		values[option] ?? readEnvironment(option);
	const host = read('host') ?? '127.0.0.1';
	const [data, baseUrl, dialect] = [read('data'), read('base-url'), read('dialect')];
	const control = parseChoice('--control', read('control') ?? 'loopback', ['loopback', 'anywhere']);
	const isPrivate = /^(127\.|localhost$|::1$)/.test(host) && control === 'loopback';
	const keys = read('keys') ?? (isPrivate ? 'well-known' : 'random');
	const set = values.set ?? readEnvironment('set')?.split(',') ?? [];
	return {
		port: parseInteger('--port', read('port') ?? '4010', 65535),
		host,
		...(baseUrl !== undefined && { baseUrl: parseBaseUrl(baseUrl) }),
		downloadPort: parseInteger('--download-port', read('download-port') ?? '0', 65535),
		...(data !== undefined && { dataDir: data }),
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
		switches: readSwitches(set.map(parseSwitch)),
		...(dialect !== undefined && { dialect: readDialectFile(dialect) }),
		rateLimits: parseChoice('--rate-limits', read('rate-limits') ?? 'plan', ['plan', 'off']),
		maxFileBytes: parseInteger(
			'--max-file-bytes',
			read('max-file-bytes') ?? String(2 * 1024 ** 3),
			Number.MAX_SAFE_INTEGER,
		),
		control,
		json: values.json,
	};
}

function parseInteger(option: string, text: string, max: number): number {
	const number = Number(text);
	if (text.trim() === '' || !Number.isInteger(number) || number < 0 || number > max) {
		throw new Error(`${option} cannot be ${text}. Give a whole number from 0 to ${max}.`);
	}
	return number;
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

function describe({ url, organizations, operatorToken }: Sandbox, settings: Settings): string {
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
	return `Dossier sandbox (${settings.environment} environment, data ${state})
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
	// Started as a child with a channel: when the parent is gone, nobody needs this any more.
	process.once('disconnect', stop);
	const { url, organizations, operatorToken } = sandbox;
	const { environment } = settings;
	console.log(
		settings.json
			? JSON.stringify({ url, base_url: `${url}/v1`, environment, organizations, operatorToken })
			: describe(sandbox, settings),
	);
}

try {
	await run();
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
