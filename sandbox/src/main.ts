#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { createSandbox } from './index.ts';
import type { Environment, Sandbox } from './index.ts';

const usage = `The dossier service on this machine.

  dossier-sandbox [--port N] [--data DIR] [--environment production|sandbox] [--json]

  --port N         the port to listen on, 0 for any that is free (default 4010)
  --host ADDRESS   the address to listen on (default 127.0.0.1: this machine alone)
  --data DIR       keep state and files in DIR across restarts (default: temporary)
  --environment E  production, or sandbox: Enterprise organizations alone (default production)
  --json           print one line of JSON with the address and the keys, and nothing else
  --help           print this
`;

interface Settings {
	port: number;
	host: string;
	dataDir?: string;
	environment: Environment;
	json: boolean;
}

function readSettings(): Settings | 'help' {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '4010' },
			host: { type: 'string', default: '127.0.0.1' },
			data: { type: 'string' },
			environment: { type: 'string', default: 'production' },
			json: { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	const { host, data, environment, json } = values;
	if (values.help) return 'help';
	const port = Number(values.port);
	if (values.port.trim() === '' || !Number.isInteger(port) || port < 0 || port > 65535) {
		throw new Error(`--port ${values.port} is no port. Give a number from 0 to 65535.`);
	}
	if (environment !== 'production' && environment !== 'sandbox') {
		throw new Error(`--environment ${environment} does not exist. Give production or sandbox.`);
	}
	return { port, host, environment, json, ...(data !== undefined && { dataDir: data }) };
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
${lines.join('\n')}

Operator token     ${operatorToken}

Press Ctrl-C to stop.`;
}

async function run(): Promise<void> {
	const settings = readSettings();
	if (settings === 'help') {
		process.stdout.write(usage);
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
