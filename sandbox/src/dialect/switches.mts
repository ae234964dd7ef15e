import { isDeepStrictEqual } from 'node:util';
import { toText } from '../platform/json.mts';
import type { Dialect } from './dialect.mts';

/**
 * How the service behaves if the contract has alternatives that are no question of names, which a dialect answers. The first value is the
 * contract's choice.
 */
export const switchTable = {
	/** What identifiers look like. */
	ids: { assumption: 'A-02', values: ['prefixed', 'integer', 'uuid', 'slashes'] },
	/** The status for an upload in the format that the service does not take. */
	uploadRefusal: { assumption: 'A-11', values: ['400', '415'] },
	deleteAnswer: { assumption: 'A-13', values: ['body', '204'] },
	/** Whether a list comes in an object, or is the whole answer. */
	listAnswer: { assumption: 'A-14', values: ['object', 'array'] },
	/** `ignored`: lists come in pages, but filters and sorting have no effect. */
	filters: { assumption: 'A-15', values: ['honoured', 'ignored'] },
	/** `merges`: a PUT leaves what it does not name. */
	put: { assumption: 'A-16', values: ['replaces', 'merges'] },
	/** How an error lists broken rules: a list, or a map by field. */
	details: { assumption: 'A-18', values: ['list', 'map'] },
	rateLimitWindows: { assumption: 'A-24', values: ['fixed', 'sliding'] },
	rateLimitHeaders: { assumption: 'A-24', values: ['all', 'remaining', 'none'] },
	retryAfter: { assumption: 'A-24', values: ['sent', 'none'] },
	/** What becomes of a request for a larger page than the service gives. */
	largerPages: { assumption: 'A-26', values: ['refused', 'cut'] },
	/** The answer to an invitation by QR code. */
	qrInviteAnswer: { assumption: 'A-28', values: ['json', 'image'] },
	/** Whether a delivery has headers that name its event and its time. */
	deliveryIdHeader: { assumption: 'A-39', values: ['on', 'off'] },
	/** Whether answers tell that this version is deprecated, by `Deprecation` and `Sunset`. */
	deprecation: { assumption: 'A-44', values: ['off', 'on'] },
	/** Where an answer names its request: the header X-Request-Id, `request_id` in an error, or nowhere. */
	requestId: { assumption: 'A-45', values: ['header', 'body', 'none'] },
} as const;

type SwitchName = keyof typeof switchTable;

/** The position of every switch. */
export type Switches = { [Name in SwitchName]: (typeof switchTable)[Name]['values'][number] };

/** One kind of service: what it calls things, and how it behaves. */
interface ServiceVariant {
	dialect: Dialect;
	switches: Switches;
}

const contractChoice: Switches = {
	ids: 'prefixed',
	uploadRefusal: '400',
	deleteAnswer: 'body',
	listAnswer: 'object',
	filters: 'honoured',
	put: 'replaces',
	details: 'list',
	rateLimitWindows: 'fixed',
	rateLimitHeaders: 'all',
	retryAfter: 'sent',
	largerPages: 'refused',
	qrInviteAnswer: 'json',
	deliveryIdHeader: 'on',
	deprecation: 'off',
	requestId: 'header',
};

/** What a client must do differently for `alternate`. */
const alternateDialect: Dialect = {
	record: { envelope: 'data' },
	list: { style: 'cursor', cursor: 'cursor', size: 'limit', next: 'next_cursor', largestSize: 10 },
	upload: { format: 'multipart' },
	download: { answer: 'redirect' },
	rateLimit: { retryAfterUnit: 'date' },
	registration: { path: null },
	signature: {
		header: 'webhook-signature',
		format: 'v1,{signature}',
		content: '{id}.{timestamp}.{body}',
		encoding: 'base64',
		secretEncoding: 'base64',
		timestampHeader: 'webhook-timestamp',
		idHeader: 'webhook-id',
	},
	workspace: { tenantHeader: 'Tenant-ID', businessUnitHeader: 'Business-Unit-ID' },
	idempotency: { supported: false },
};

/**
 * Kinds of services: `default` is the contract's choice, `given-only` lacks what the description of the service does not give, and
 * `alternate` differs in everything that a client has to do differently.
 */
export const profiles = {
	default: { dialect: {}, switches: contractChoice },
	'given-only': {
		dialect: {
			upload: { format: 'json' },
			registration: { path: null },
			idempotency: { supported: false },
		},
		switches: {
			...contractChoice,
			rateLimitHeaders: 'remaining',
			retryAfter: 'none',
			deliveryIdHeader: 'off',
			requestId: 'none',
		},
	},
	alternate: {
		dialect: alternateDialect,
		switches: {
			...contractChoice,
			ids: 'slashes',
			uploadRefusal: '415',
			deleteAnswer: '204',
			filters: 'ignored',
			put: 'merges',
			details: 'map',
			rateLimitWindows: 'sliding',
			rateLimitHeaders: 'remaining',
			largerPages: 'cut',
			qrInviteAnswer: 'image',
			requestId: 'body',
		},
	},
} satisfies Record<string, ServiceVariant>;

export type Profile = keyof typeof profiles;

/** The profile of a name. Throws a RangeError with a sentence if there is none. */
export function findProfile(name: string): ServiceVariant {
	const found = Object.entries(profiles).find(([known]) => known === name)?.[1];
	if (found) return found;
	const names = Object.keys(profiles).join(', ');
	throw new RangeError(`The profile ${name} does not exist. There are ${names}.`);
}

/** The name of the profile that the dialect and all switches agree with; nothing if something differs. */
export function nameProfile({ dialect, switches }: ServiceVariant): string | undefined {
	return Object.entries(profiles).find(([, profile]) =>
		isDeepStrictEqual(profile, { dialect, switches: { ...switches } }),
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
		// A number in JSON means the same as its text: {"uploadRefusal": 415}.
		const chosen = values.find((one) => one === toText(value));
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
