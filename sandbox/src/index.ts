import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createControl } from './client/control.ts';
import type { SandboxControl } from './client/types.ts';
import { describeStartFailure, openDataFolder } from './database/data-folder.ts';
import { parseDialect } from './dialect/parse.ts';
import type { Dialect } from './dialect/dialect.ts';
import { readContract } from './contract/contract.ts';
import { openControl } from './control/index.ts';
import type { ControlReach } from './control/guard.ts';
import { fillFirstStart, readFirstData } from './control/seed/first-start.ts';
import type { Seed } from './control/seed/types.ts';
import { Pipeline } from './http/pipeline.ts';
import { closeServer, createSandboxServer, listen } from './http/server.ts';
import { Routes } from './http/routes.ts';
import { SignedFiles } from './http/signed-files.ts';
import { openPages } from './pages/index.ts';
import type { LimitRule } from './requests/limits.ts';
import { Service } from './service.ts';
import type { Environment } from './service.ts';
import type { SeededOrganization } from './accounts/organizations.ts';
import type { Plan } from './accounts/plans.ts';
import { profiles } from './contract/switches.ts';
import type { Profile, Switches } from './contract/switches.ts';

export { connectSandbox } from './client/connect.ts';
export type { components, operations, paths } from '../../contract/generated/types.ts';
export type {
	ControlReach,
	Dialect,
	Environment,
	LimitRule,
	Plan,
	Profile,
	SandboxControl,
	Seed,
	SeededOrganization,
	Switches,
};

export interface SandboxOptions {
	/** Default 0: any that is free. */
	port?: number;
	/** Default 127.0.0.1. */
	host?: string;
	/** Where state and files are kept; created if it is missing. Default: a temporary folder, removed on close. */
	dataDir?: string;
	/** Default production. The sandbox environment admits only Enterprise organizations (A-25). */
	environment?: Environment;
	/**
	 * Whether every answer is checked against the contract, and `close` throws if one broke it or a request failed inside the sandbox.
	 * Default true, for tests.
	 */
	strict?: boolean;
	/** The largest file in bytes. Default 2 GiB (A-26). */
	maxFileBytes?: number;
	/** How long a webhook's receiver has for its answer, in milliseconds. Default 10 seconds (A-40). */
	deliveryTimeoutMs?: number;
	/**
	 * The rate limits (A-24). Default off: nothing is counted, and no header about limits is sent.
	 */
	rateLimits?: LimitRule;
	/** The port of signed downloads (A-12). Default 0: any that is free. */
	downloadPort?: number;
	/** Who reaches the control room below `/_sandbox`. Default: only this machine. */
	control?: ControlReach;
	/** Host names, such as `sandbox`, under which other machines reach the control room, too. */
	controlHosts?: string[];
	/**
	 * The keys, tokens and identifiers of a new data folder. Default random. With well-known ones, every start without data has the
	 * same, so a credential is entered once: use them only if nobody else can connect.
	 */
	keys?: 'random' | 'well-known';
	/** The address that callers use, such as `http://sandbox:4010` in a container. Default: where it listens. */
	baseUrl?: string;
	/** Data of a new data folder: a seed, or the path of a seed file. `reset` goes back to it. */
	seed?: Seed | string;
	/** Adds examples to the Enterprise organization of a new data folder. */
	examples?: boolean;
	/** A set of switches for what the contract only assumes. Default: the contract's own choice. */
	profile?: Profile;
	/** What the service calls things, as `docs/dialect.schema.json` describes it. Default: as the contract does. */
	dialect?: Dialect;
	/** Single switches that differ from the profile. */
	switches?: Partial<Switches>;
}

/** A sandbox in this process. */
export interface Sandbox extends SandboxControl {
	/** Whether the data folder was new. Only then are a seed and examples added. */
	readonly isFirstStart: boolean;
	/** Closes the server and its connections, and removes a temporary folder. A second call waits for the first. */
	close(): Promise<void>;
}

/** Starts the service. Throws a sentence if the port is taken or the data folder cannot be used. */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const { port = 0, host = '127.0.0.1', environment = 'production', strict = true } = options;
	const { maxFileBytes = 2 * 1024 ** 3, deliveryTimeoutMs = 10_000, rateLimits = 'off' } = options;
	const { control = 'loopback', controlHosts = [] } = options;
	const dataDir = options.dataDir
		? resolve(options.dataDir)
		: mkdtempSync(join(tmpdir(), 'dossier-sandbox-'));
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
		const switches = { ...profiles[options.profile ?? 'default'], ...options.switches };
		service = new Service(
			dataDir,
			readContract(),
			{
				environment,
				maxFileBytes,
				deliveryTimeoutMs,
				rateLimits,
				isTemporary: !options.dataDir,
				hasKnownKeys: options.keys === 'well-known',
			},
			{ switches, dialect: parseDialect(options.dialect ?? {}) },
		);
		service.initialize();
		const signedFiles = new SignedFiles(service);
		const opened = openControl(service, { reach: control, hosts: controlHosts }, alarm);
		api = opened.api;
		openPages(opened.routes, service, alarm);
		const routes = new Routes(service.contract.operations);
		const pipeline = new Pipeline({ service, routes, signedFiles, strict, alarm });
		const server = createSandboxServer(pipeline, opened.routes.fetch);
		servers.push(server, signedFiles.server);
		const address = formatAddress(await listen(server, port, host), host);
		service.url = options.baseUrl ?? address;
		signedFiles.port = await listen(signedFiles.server, options.downloadPort ?? 0, host);
		isFirstStart = !service.snapshots.hasBegun();
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
		...createControl(address, async (path, init) => await api.request(path, init)),
		isFirstStart,
		close: async () => await (closing ??= close()),
	};
}

function formatAddress(port: number, host: string): string {
	return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
