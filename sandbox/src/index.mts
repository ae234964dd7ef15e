import './platform/require-node.mts';
import { rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { resolve } from 'node:path';
import { createControl } from './client/control.mts';
import type { SandboxControl } from './client/control.mts';
import {
	createTemporaryFolder,
	describeStartFailure,
	openDataFolder,
} from './database/data-folder.mts';
import { readContract } from './contract/contract.mts';
import { findProfile } from './contract/switches.mts';
import type { Profile, Switches } from './contract/switches.mts';
import { openControl } from './control/index.mts';
import type { ControlReach } from './control/guard.mts';
import { fillFirstStart, readFirstData } from './control/seed/first-start.mts';
import type { Seed } from './control/seed/schema.mts';
import { Pipeline } from './http/pipeline.mts';
import { closeServer, createSandboxServer, listen } from './http/server.mts';
import { Routes } from './http/routes.mts';
import { SignedFiles } from './http/signed-files.mts';
import { checkOptions } from './options.mts';
import type { SandboxOptions } from './options.mts';
import { openPages } from './pages/index.mts';
import type { LimitRule } from './requests/limits.mts';
import { Service } from './service.mts';
import type { Environment } from './service.mts';
import type { SeededOrganization } from './accounts/organizations.mts';
import type { Plan } from './accounts/caller.mts';

export { connectSandbox } from './client/connect.mts';
export type { components, operations, paths } from '../../contract/generated/types.mts';
export type { SandboxOptions } from './options.mts';
export type {
	ControlReach,
	Environment,
	LimitRule,
	Plan,
	Profile,
	SandboxControl,
	Seed,
	SeededOrganization,
	Switches,
};

/** A sandbox in this process. */
export interface Sandbox extends SandboxControl {
	/** Whether the data folder was new. Only then are a seed and examples added. */
	readonly isFirstStart: boolean;
	/** Closes the server and its connections, and removes a temporary folder. A second call waits for the first. */
	close(): Promise<void>;
}

/** Starts the service. Throws a sentence if an option is wrong, the port is taken, or the data folder cannot be used. */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	checkOptions(options);
	const { port = 0, host = '127.0.0.1', environment = 'production', strict = true } = options;
	const { maxFileBytes = 2 * 1024 ** 3, deliveryTimeoutMs = 10_000, rateLimits = 'off' } = options;
	const { control = 'loopback', controlHosts = [], corsOrigins = [] } = options;
	const dataDir = options.dataDir ? resolve(options.dataDir) : createTemporaryFolder();
	const discard = () => {
		if (!options.dataDir) rmSync(dataDir, { recursive: true, force: true });
	};
	const failures: unknown[] = [];
	const alarm = (requestId: string, failure: unknown) => {
		console.error(`Request ${requestId} failed inside the sandbox.`, failure);
		failures.push(failure);
	};

	let service: Service | undefined;
	let api: ReturnType<typeof openControl>['api'];
	let isFirstStart = false;
	const servers: Server[] = [];
	try {
		const firstData = readFirstData(options);
		openDataFolder(dataDir);
		const switches = { ...findProfile(options.profile ?? 'default'), ...options.switches };
		service = new Service(
			dataDir,
			readContract(),
			{
				environment,
				maxFileBytes,
				deliveryTimeoutMs,
				rateLimits,
				corsOrigins,
				isTemporary: !options.dataDir,
				hasKnownKeys: options.keys === 'well-known',
			},
			switches,
		);
		service.initialize();
		const signedFiles = new SignedFiles(service);
		const opened = openControl(service, { reach: control, hosts: controlHosts }, alarm);
		api = opened.api;
		openPages(opened, service, alarm);
		const routes = new Routes(service.contract.operations);
		const pipeline = new Pipeline({ service, routes, signedFiles, strict, alarm });
		const server = createSandboxServer(pipeline, opened.routes.fetch);
		servers.push(server, signedFiles.server);
		const address = formatAddress(await listen(server, port, host), host);
		service.url = (options.baseUrl ?? address).replace(/\/$/, '');
		service.journal.onEnd = options.onRequest;
		signedFiles.port = await listen(signedFiles.server, options.downloadPort ?? 0, host);
		isFirstStart = !service.firstState.isKept();
		if (isFirstStart) await fillFirstStart(service, firstData);
	} catch (error) {
		await Promise.all(servers.map(closeServer));
		service?.close();
		discard();
		throw describeStartFailure(error, dataDir);
	}
	const { organizations } = service;
	const opened = service;
	const close = async () => {
		await Promise.all(servers.map(closeServer));
		opened.close();
		discard();
		if (strict && failures.length > 0) {
			throw new AggregateError(
				failures,
				`${failures.length} request(s) failed inside the sandbox: ${failures.join(' ')}`,
			);
		}
	};
	let closing: Promise<void> | undefined;
	const address = {
		url: opened.url,
		organizations: organizations.seeded(),
		operatorToken: opened.tokens.operatorToken(),
	};
	return {
		...createControl(address, {
			// The routes of this process are below no address.
			baseUrl: 'http://sandbox',
			fetch: async (input, init) => {
				if (closing) throw new Error('The sandbox is closed.');
				return await api.request(new Request(input, init));
			},
		}),
		isFirstStart,
		close: async () => await (closing ??= close()),
	};
}

function formatAddress(port: number, host: string): string {
	return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
