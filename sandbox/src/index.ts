import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Clock } from './platform/clock.ts';
import { parseDialect } from './dialect/parse.ts';
import type { Dialect } from './dialect/dialect.ts';
import { readContract } from './contract/contract.ts';
import { openControl } from './control/index.ts';
import type { ControlReach } from './control/guard.ts';
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

export type {
	ControlReach,
	Dialect,
	Environment,
	LimitRule,
	Plan,
	Profile,
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
	/** Default production. The sandbox environment admits Enterprise organizations alone (A-25). */
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
	 * The rate limits (A-24). Default off: nothing is counted, and no header tells of limits.
	 */
	rateLimits?: LimitRule;
	/** The port of signed downloads (A-12). Default 0: any that is free. */
	downloadPort?: number;
	/** Who reaches the control room below `/_sandbox`. Default: this machine alone. */
	control?: ControlReach;
	/**
	 * The keys, tokens and identifiers of a new data folder. Default random. With well-known ones, every start without data has the
	 * same, so a credential is entered once: use them only if nobody else can connect.
	 */
	keys?: 'random' | 'well-known';
	/** The address that callers use, such as `http://sandbox:4010` in a container. Default: where it listens. */
	baseUrl?: string;
	/** A set of switches for what the contract only assumes. Default: the contract's own choice. */
	profile?: Profile;
	/** What the service calls things, as `docs/dialect.schema.json` describes it. Default: as the contract does. */
	dialect?: Dialect;
	/** Single switches that differ from the profile. */
	switches?: Partial<Switches>;
}

export interface Sandbox {
	/** Such as `http://127.0.0.1:4010`; the base address of the service is this followed by `/v1`. */
	url: string;
	/** The Enterprise and the Business organization that every sandbox has. */
	organizations: SeededOrganization[];
	/** The token of the operator (A-32). */
	operatorToken: string;
	/** The time of the service, which can be moved. */
	clock: Clock;
	/** A further organization with keys and no data, so that tests run side by side. */
	createOrganization(options: { plan: Plan }): SeededOrganization;
	/** Closes the server and its connections, and removes a temporary folder. A second call waits for the first. */
	close(): Promise<void>;
}

/** Starts the service. Throws a sentence if the port is taken or the data folder cannot be used. */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const { port = 0, host = '127.0.0.1', environment = 'production', strict = true } = options;
	const { maxFileBytes = 2 * 1024 ** 3, deliveryTimeoutMs = 10_000, rateLimits = 'off' } = options;
	const { control = 'loopback' } = options;
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
	const servers: Server[] = [];
	try {
		mkdirSync(dataDir, { recursive: true });
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
		const controlRoutes = openControl(service, control, alarm);
		openPages(controlRoutes, service, alarm);
		const routes = new Routes(service.contract.operations);
		const pipeline = new Pipeline({ service, routes, signedFiles, strict, alarm });
		const server = createSandboxServer(pipeline, controlRoutes.fetch);
		servers.push(server, signedFiles.server);
		const address = formatAddress(await listen(server, port, host), host);
		service.url = options.baseUrl ?? address;
		signedFiles.port = await listen(signedFiles.server, options.downloadPort ?? 0, host);
	} catch (error) {
		await Promise.all(servers.map(closeServer));
		service?.close();
		discard();
		throw error;
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
	return {
		url: opened.url,
		organizations: organizations.seeded(),
		operatorToken: opened.tokens.operatorToken(),
		clock: opened.clock,
		createOrganization: ({ plan }) => organizations.create(plan),
		close: async () => await (closing ??= close()),
	};
}

function formatAddress(port: number, host: string): string {
	return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
