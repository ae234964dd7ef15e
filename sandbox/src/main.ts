#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { createSandbox } from './index.ts';
import type { ControlReach, Environment, Profile, Sandbox, Switches } from './index.ts';
import { profiles, readSwitches, switchTable } from './contract/switches.ts';

const usage = `The dossier service on this machine.

  dossier-sandbox [--port N] [--data DIR] [--environment production|sandbox] [--profile NAME] [--json]

  --port N             the port to listen on, 0 for any that is free (default 4010)
  --host ADDRESS       the address to listen on (default 127.0.0.1: this machine alone)
  --download-port N    the port of signed downloads (default 0: any that is free)
  --data DIR           keep state and files in DIR across restarts (default: temporary)
  --environment E      production, or sandbox: Enterprise organizations alone (default production)
  --profile NAME       how the service answers where the contract only assumes:
                       ${Object.keys(profiles).join(', ')} (default: default)
  --set SWITCH=VALUE   one such answer; can be given several times, --list-switches names them
  --list-switches      print the switches with their values, and the assumption that each concerns
  --rate-limits RULE   plan, or off (default plan)
  --control REACH      who reaches the control room below /_sandbox: loopback, or anywhere (default loopback)
  --json               print one line of JSON with the address and the keys, and nothing else
  --help               print this
`;

interface Settings {
	port: number;
	host: string;
	downloadPort: number;
	dataDir?: string;
	environment: Environment;
	profile: Profile;
	switches: Partial<Switches>;
	rateLimits: 'plan' | 'off';
	control: ControlReach;
	json: boolean;
}

function readSettings(): Settings | string {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '4010' },
			host: { type: 'string', default: '127.0.0.1' },
			'download-port': { type: 'string', default: '0' },
			data: { type: 'string' },
			environment: { type: 'string', default: 'production' },
			profile: { type: 'string', default: 'default' },
			set: { type: 'string', multiple: true, default: [] },
			'list-switches': { type: 'boolean', default: false },
			'rate-limits': { type: 'string', default: 'plan' },
			control: { type: 'string', default: 'loopback' },
			json: { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	const { host, data, json } = values;
	if (values.help) return usage;
	if (values['list-switches']) return switchList();
	return {
		port: parsePort('--port', values.port),
		host,
		downloadPort: parsePort('--download-port', values['download-port']),
		...(data !== undefined && { dataDir: data }),
		environment: parseChoice('--environment', values.environment, ['production', 'sandbox']),
		profile: parseChoice('--profile', values.profile, ['default', 'given-only', 'alternate']),
		switches: readSwitches(values.set.map(parseSwitch)),
		rateLimits: parseChoice('--rate-limits', values['rate-limits'], ['plan', 'off']),
		control: parseChoice('--control', values.control, ['loopback', 'anywhere']),
		json,
	};
}

function parsePort(option: string, text: string): number {
	const port = Number(text);
	if (text.trim() === '' || !Number.isInteger(port) || port < 0 || port > 65535) {
		throw new Error(`${option} ${text} is not a port. Give a number from 0 to 65535.`);
	}
	return port;
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
