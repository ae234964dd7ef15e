import type { ControlReach } from './control/guard.mts';
import type { Seed } from './control/seed/schema.mts';
import { findProfile, readSwitches } from './contract/switches.mts';
import type { Profile, Switches } from './contract/switches.mts';
import { isObject } from './platform/json.mts';
import type { JournalEntry } from './requests/journal.mts';
import type { LimitRule } from './requests/limits.mts';
import type { Environment } from './service.mts';

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
	/** The address that callers use, such as `http://sandbox:4170` in a container. Default: where it listens. */
	baseUrl?: string;
	/** Data of a new data folder: a seed, or the path of a seed file. `reset` goes back to it. */
	seed?: Seed | string;
	/** Adds examples to the test data of the Enterprise organization, if the data folder is new. */
	examples?: boolean;
	/** A kind of service: a position for each switch. Default: the contract's own choice. */
	profile?: Profile;
	/** Single switches that differ from the profile. */
	switches?: Partial<Switches>;
	/** Is given each request of the service, without secrets, when it has been answered. */
	onRequest?: ((request: JournalEntry) => void) | undefined;
}

/** A kind of value. */
interface Kind {
	/** The value to give instead, in words. */
	wanted: string;
	fits: (value: unknown) => boolean;
}

const wholeNumber = (max: number): Kind => ({
	wanted: `a whole number from 0 to ${max}`,
	fits: (value) =>
		typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max,
});
const count = wholeNumber(Number.MAX_SAFE_INTEGER);
const oneOf = (...choices: string[]): Kind => ({
	wanted: choices.join(' or '),
	fits: (value) => choices.includes(show(value)),
});
const flag = oneOf('true', 'false');
const rule = oneOf('plan', 'off');
const text: Kind = {
	wanted: 'a text',
	fits: (value) => typeof value === 'string' && value !== '',
};
const hostName: Kind = {
	wanted: 'a name such as sandbox, without http:// and a port',
	fits: (value) => /^[a-z0-9._-]+$/i.test(show(value)),
};
const origin: Kind = {
	wanted: 'an origin such as https://portal.example',
	fits: (value) => {
		const given = show(value);
		return given === '*' || (URL.canParse(given) && new URL(given).origin === given);
	},
};
const address: Kind = {
	wanted: 'an address such as http://sandbox:4170',
	fits: (value) => /^https?:\/\/[^/]+\/?$/.test(show(value)) && URL.canParse(show(value)),
};
const limits: Kind = {
	wanted: 'plan, off, or both perMinute and perHour',
	fits: (value) =>
		isObject(value) ? [value.perMinute, value.perHour].every(count.fits) : rule.fits(value),
};
const callback: Kind = { wanted: 'a function', fits: (value) => typeof value === 'function' };

/** The check of each option: a kind of value, a list of such values, or a function that throws an error. The seed is checked when it is read. */
const checks: Record<keyof SandboxOptions, Kind | [Kind] | ((value: unknown) => unknown)> = {
	port: wholeNumber(65535),
	host: text,
	dataDir: text,
	environment: oneOf('production', 'sandbox'),
	strict: flag,
	maxFileBytes: count,
	deliveryTimeoutMs: wholeNumber(2 ** 31 - 1),
	rateLimits: limits,
	downloadPort: wholeNumber(65535),
	control: oneOf('loopback', 'anywhere'),
	controlHosts: [hostName],
	corsOrigins: [origin],
	keys: oneOf('random', 'well-known'),
	baseUrl: address,
	seed: () => undefined,
	examples: flag,
	profile: (value) => findProfile(show(value)),
	onRequest: callback,
	switches: (value) => readSwitches(Object.entries(isObject(value) ? value : {})),
};

function assertFits(option: string, value: unknown, { wanted, fits }: Kind): void {
	if (!fits(value)) throw new RangeError(`${option} cannot be ${show(value)}. Give ${wanted}.`);
}

/** Yes or no, as a boolean or its text. Throws a RangeError with a sentence. */
export function parseFlag(option: string, value: unknown): boolean {
	assertFits(option, value, flag);
	return show(value) === 'true';
}

/**
 * Throws a RangeError with a sentence for an option that does not exist, or has a value that cannot be used. `nameOption`: what the
 * sentence calls an option.
 */
export function checkOptions(
	options: object,
	nameOption = (name: string) => name,
): asserts options is SandboxOptions {
	const known = new Map(Object.entries(checks));
	for (const [name, value] of Object.entries(options)) {
		const check = known.get(name);
		if (!check) {
			const names = [...known.keys()].join(', ');
			throw new RangeError(`The option ${name} does not exist. There are ${names}.`);
		}
		if (value === undefined) continue;
		if (typeof check === 'function') check(value);
		else if (!Array.isArray(check)) assertFits(nameOption(name), value, check);
		else if (Array.isArray(value)) {
			for (const one of value) assertFits(nameOption(name), one, check[0]);
		} else assertFits(nameOption(name), value, { wanted: 'a list', fits: () => false });
	}
}

function show(value: unknown): string {
	return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
}
