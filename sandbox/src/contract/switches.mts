import { isDeepStrictEqual } from 'node:util';

/** The gaps in the description of the service, and the ways in which the sandbox can fill each. The first value is the contract's choice. */
export const switchTable = {
	/** The form of identifiers. */
	ids: { assumption: 'A-02', values: ['prefixed', 'slashes'] },
	/** The formats of uploads. `json` refuses the other one with 400, `multipart` with 415. */
	uploads: { assumption: 'A-11', values: ['both', 'json', 'multipart'] },
	/** Whether a download is the file, or a redirect to a signed address on another port. */
	downloads: { assumption: 'A-12', values: ['bytes', 'redirect'] },
	/** `data`: a record stands in `data`, and a deletion is answered without a body. */
	envelope: { assumption: 'A-13', values: ['none', 'data'] },
	/** `cursor`: pages of up to 10, and a larger page is cut. `array`: the list is the whole answer, and a header leads to the next page. */
	lists: { assumption: 'A-14', values: ['pages', 'cursor', 'array'] },
	/** `ignored`: filters and sorting have no effect. */
	filters: { assumption: 'A-15', values: ['honored', 'ignored'] },
	/** `merges`: a PUT keeps the fields that it does not have. */
	put: { assumption: 'A-16', values: ['replaces', 'merges'] },
	rateLimitWindows: { assumption: 'A-24', values: ['fixed', 'sliding'] },
	/** `dated`: what remains, and `Retry-After` as a date. `remaining`: what remains, and nothing else. */
	rateLimitHeaders: { assumption: 'A-24', values: ['all', 'dated', 'remaining', 'none'] },
	/** The prefix of the headers that name the customer's tenant and business unit. */
	workspaceHeaders: { assumption: 'A-32', values: ['X-Tenant-ID', 'Tenant-ID'] },
	/** Whether programs can register webhooks. */
	registration: { assumption: 'A-38', values: ['offered', 'none'] },
	/** `bare`: the signature of `hex` without an id and a time. `timestamped`: as Stripe signs. `standard`: Standard Webhooks. */
	signature: { assumption: 'A-39', values: ['hex', 'bare', 'timestamped', 'standard'] },
	idempotency: { assumption: 'A-43', values: ['honored', 'ignored'] },
	/** Where an answer names its request: the header X-Request-Id, `request_id` in an error, or nowhere. */
	requestId: { assumption: 'A-45', values: ['header', 'body', 'none'] },
} as const;

type SwitchName = keyof typeof switchTable;

/** The position of every switch. */
export type Switches = { [Name in SwitchName]: (typeof switchTable)[Name]['values'][number] };

const contractChoice: Switches = {
	ids: 'prefixed',
	uploads: 'both',
	downloads: 'bytes',
	envelope: 'none',
	lists: 'pages',
	filters: 'honored',
	put: 'replaces',
	rateLimitWindows: 'fixed',
	rateLimitHeaders: 'all',
	workspaceHeaders: 'X-Tenant-ID',
	registration: 'offered',
	signature: 'hex',
	idempotency: 'honored',
	requestId: 'header',
};

/**
 * Kinds of services: `default` is the contract's choice, `given-only` lacks what the description of the service does not give, and
 * `alternate` differs in everything that a client has to do differently.
 */
export const profiles = {
	default: contractChoice,
	'given-only': {
		...contractChoice,
		uploads: 'json',
		rateLimitHeaders: 'remaining',
		registration: 'none',
		signature: 'bare',
		idempotency: 'ignored',
		requestId: 'none',
	},
	alternate: {
		ids: 'slashes',
		uploads: 'multipart',
		downloads: 'redirect',
		envelope: 'data',
		lists: 'cursor',
		filters: 'ignored',
		put: 'merges',
		rateLimitWindows: 'sliding',
		rateLimitHeaders: 'dated',
		workspaceHeaders: 'Tenant-ID',
		registration: 'none',
		signature: 'standard',
		idempotency: 'ignored',
		requestId: 'body',
	},
} satisfies Record<string, Switches>;

export type Profile = keyof typeof profiles;

/** The switches of a profile. Throws a RangeError with a sentence if there is none of this name. */
export function findProfile(name: string): Switches {
	const found = Object.entries(profiles).find(([known]) => known === name)?.[1];
	if (found) return found;
	const names = Object.keys(profiles).join(', ');
	throw new RangeError(`The profile ${name} does not exist. There are ${names}.`);
}

/** The name of the profile that all switches agree with; nothing if one differs. */
export function nameProfile(switches: Switches): string | undefined {
	return Object.entries(profiles).find(([, profile]) =>
		isDeepStrictEqual(profile, { ...switches }),
	)?.[0];
}

/** Reads switches from texts, such as `{put: 'merges'}`. Throws a RangeError with a sentence for a name or value that does not exist. */
export function readSwitches(
	settings: Iterable<[name: string, value: unknown]>,
): Partial<Switches> {
	const read: Partial<Switches> = {};
	for (const [name, value] of settings) {
		if (!isSwitch(name)) {
			const names = Object.keys(switchTable).join(', ');
			throw new RangeError(`The switch ${name} does not exist. There are ${names}.`);
		}
		const values: readonly string[] = switchTable[name].values;
		const chosen = values.find((one) => one === value);
		if (chosen === undefined) {
			throw new RangeError(
				`The switch ${name} cannot be ${JSON.stringify(value)}. Give ${values.join(', ')}.`,
			);
		}
		Object.assign(read, { [name]: chosen });
	}
	return read;
}

function isSwitch(name: string): name is SwitchName {
	return Object.hasOwn(switchTable, name);
}
