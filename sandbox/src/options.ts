import type { ControlReach } from './control/guard.ts';
import type { Seed } from './control/seed/types.ts';
import type { Dialect } from './dialect/dialect.ts';
import { parseDialect } from './dialect/parse.ts';
import { findProfile, readSwitches } from './dialect/switches.ts';
import type { Profile, Switches } from './dialect/switches.ts';
import { isObject } from './platform/json.ts';
import type { JournalEntry } from './requests/journal.ts';
import type { LimitRule } from './requests/limits.ts';
import type { Environment } from './service.ts';

export interface SandboxOptions {
	/** Default 0: any that is free. */
	port?: number;
	/** Default 127.0.0.1. */
	host?: string;
	/** Where state and files are kept; created if it is missing. Default: a temporary folder, removed on close. */
	dataDir?: string;
	/** Default production. The sandbox environment admits only Enterprise organizations. */
	environment?: Environment;
	/**
	 * Whether every answer is checked against the contract, and `close` throws if one broke it or a request failed inside the sandbox.
	 * Default true, for tests.
	 */
	strict?: boolean;
	/** The largest file in bytes. Default 2 GiB. */
	maxFileBytes?: number;
	/** How long a webhook's receiver has for its answer, in milliseconds. Default 10 seconds. */
	deliveryTimeoutMs?: number;
	/**
	 * The rate limits. Default off: nothing is counted, and no header about limits is sent.
	 */
	rateLimits?: LimitRule;
	/** The port of signed downloads. Default 0: any that is free. */
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
	/** Origins, such as `https://portal.example`, whose pages may use the service, beside those of this machine; `*` for all. */
	corsOrigins?: string[];
	/** The address that callers use, such as `http://sandbox:4010` in a container. Default: where it listens. */
	baseUrl?: string;
	/** Data of a new data folder: a seed, or the path of a seed file. `reset` goes back to it. */
	seed?: Seed | string;
	/** Adds examples to the Enterprise organization of a new data folder. */
	examples?: boolean;
	/** A kind of service: a dialect with switches. Default: the contract's own choice. */
	profile?: Profile;
	/** What the service calls things, as `docs/dialect.schema.json` describes it; its parts replace those of the profile. */
	dialect?: Dialect;
	/** Single switches that differ from the profile. */
	switches?: Partial<Switches>;
	/** Is given each request of the service, without secrets, when it has been answered. */
	onRequest?: ((request: JournalEntry) => void) | undefined;
}

/** A whole number. Throws a RangeError with a sentence that names the option. */
function parseInteger(option: string, value: unknown, max: number): number {
	if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max)
		return value;
	throw new RangeError(`${option} cannot be ${show(value)}. Give a whole number from 0 to ${max}.`);
}

/** One of several texts. Throws a RangeError with a sentence. */
function parseChoice<T extends string>(
	option: string,
	value: unknown,
	choices: readonly [T, ...T[]],
): T {
	const choice = choices.find((one) => one === value);
	if (choice !== undefined) return choice;
	throw new RangeError(`${option} ${show(value)} does not exist. Give ${choices.join(' or ')}.`);
}

/** The name of a host. Throws a RangeError with a sentence. */
function parseHost(option: string, value: unknown): string {
	if (typeof value === 'string' && /^[a-z0-9._-]+$/i.test(value)) return value;
	throw new RangeError(
		`${option} ${show(value)} is not a name such as sandbox, without http:// and a port.`,
	);
}

/** An origin, or `*`. Throws a RangeError with a sentence. */
function parseOrigin(option: string, value: unknown): string {
	const text = show(value);
	if (text === '*' || (URL.canParse(text) && new URL(text).origin === text)) return text;
	throw new RangeError(`${option} ${text} is not an origin such as https://portal.example.`);
}

/** An address without a path. Throws a RangeError with a sentence. */
function parseBaseUrl(option: string, value: unknown): void {
	const text = show(value);
	if (/^https?:\/\/[^/]+\/?$/.test(text) && URL.canParse(text)) return;
	throw new RangeError(`${option} ${text} is not an address such as http://sandbox:4010.`);
}

function parseText(option: string, value: unknown): string {
	if (typeof value === 'string' && value !== '') return value;
	throw new RangeError(`${option} cannot be ${show(value)}. Give a text.`);
}

/** Yes or no, as a boolean or its text. Throws a RangeError with a sentence. */
export function parseFlag(option: string, value: unknown): boolean {
	return parseChoice(option, show(value), ['true', 'false']) === 'true';
}

function parseFunction(option: string, value: unknown): void {
	if (typeof value !== 'function') throw new RangeError(`${option} is not a function.`);
}

function parseList<T>(
	option: string,
	value: unknown,
	parse: (option: string, one: unknown) => T,
): T[] {
	if (Array.isArray(value)) return value.map((one) => parse(option, one));
	throw new RangeError(`${option} cannot be ${show(value)}. Give a list.`);
}

function parseLimits(option: string, value: unknown): void {
	if (typeof value !== 'object' || value === null) parseChoice(option, value, ['plan', 'off']);
	else
		for (const name of ['perMinute', 'perHour']) {
			const count: unknown = Object.entries(value).find(([one]) => one === name)?.[1];
			parseInteger(`${option}.${name}`, count, Number.MAX_SAFE_INTEGER);
		}
}

/** How each option is checked. The seed is checked when it is read. */
const checks: { [Name in keyof SandboxOptions]-?: (option: string, value: unknown) => unknown } = {
	port: (option, value) => parseInteger(option, value, 65535),
	host: parseText,
	dataDir: parseText,
	environment: (option, value) => parseChoice(option, value, ['production', 'sandbox']),
	strict: parseFlag,
	maxFileBytes: (option, value) => parseInteger(option, value, Number.MAX_SAFE_INTEGER),
	deliveryTimeoutMs: (option, value) => parseInteger(option, value, 2 ** 31 - 1),
	rateLimits: parseLimits,
	downloadPort: (option, value) => parseInteger(option, value, 65535),
	control: (option, value) => parseChoice(option, value, ['loopback', 'anywhere']),
	controlHosts: (option, value) => parseList(option, value, parseHost),
	corsOrigins: (option, value) => parseList(option, value, parseOrigin),
	keys: (option, value) => parseChoice(option, value, ['random', 'well-known']),
	baseUrl: parseBaseUrl,
	seed: () => undefined,
	examples: parseFlag,
	profile: (_option, value) => findProfile(show(value)),
	dialect: (_option, value) => parseDialect(value),
	onRequest: parseFunction,
	switches: (_option, value) => readSwitches(Object.entries(isObject(value) ? value : {})),
};

/**
 * Throws a RangeError with a sentence for an option that does not exist, or has a value that cannot be used. `nameOption`: what the
 * sentence calls an option.
 */
export function checkOptions(
	options: object,
	nameOption = (name: string) => name,
): asserts options is SandboxOptions {
	for (const [name, value] of Object.entries(options)) {
		const check = Object.entries(checks).find(([known]) => known === name)?.[1];
		if (!check) {
			const names = Object.keys(checks).join(', ');
			throw new RangeError(`The option ${name} does not exist. There are ${names}.`);
		}
		if (value !== undefined) check(nameOption(name), value);
	}
}

function show(value: unknown): string {
	return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
}
