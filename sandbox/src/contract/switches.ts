import { toText } from '../platform/json.ts';

/** Every assumption of the contract that has alternatives, as a switch with its values. The first value is the contract's choice. */
export const switchTable = {
	/** What identifiers look like. */
	ids: { assumption: 'A-02', values: ['prefixed', 'integer', 'uuid', 'slashes'] },
	/** Whether unknown fields and query parameters, such as misspelt ones, are ignored or refused. */
	unknownFields: { assumption: 'A-03', values: ['ignored', 'refused'] },
	/** How answers write categories: as they are sent, or as words for people, such as `Identity Document`. */
	categories: { assumption: 'A-07', values: ['snake_case', 'words'] },
	/** Which bodies an upload may have; the other is refused with the status `uploadRefusal`. */
	uploadFormats: { assumption: 'A-11', values: ['both', 'json', 'multipart'] },
	uploadRefusal: { assumption: 'A-11', values: ['400', '415'] },
	/** How a download is answered: with the bytes, with a redirect to a signed address on another port, or inside JSON. */
	downloadAnswer: { assumption: 'A-12', values: ['bytes', 'redirect', 'base64', 'url'] },
	/** Whether a single object comes in `{data: …}`. */
	successEnvelope: { assumption: 'A-13', values: ['bare', 'data'] },
	deleteAnswer: { assumption: 'A-13', values: ['body', '204'] },
	listEnvelope: {
		assumption: 'A-14',
		values: ['pagination', 'cursor', 'link', 'meta', 'bare', 'plural'],
	},
	/** `ignored`: lists come in pages, but filters and sorting have no effect. */
	filters: { assumption: 'A-15', values: ['honoured', 'ignored'] },
	/** `merges`: a PUT leaves what it does not name. */
	put: { assumption: 'A-16', values: ['replaces', 'merges'] },
	/** How an error lists broken rules: a list, a map by field, or a list beside `error`. */
	details: { assumption: 'A-18', values: ['list', 'map', 'beside'] },
	rateLimitWindows: { assumption: 'A-24', values: ['fixed', 'sliding'] },
	rateLimitHeaders: { assumption: 'A-24', values: ['all', 'remaining', 'none'] },
	retryAfter: { assumption: 'A-24', values: ['seconds', 'date', 'none'] },
	/** The most entries of a page. `10` cuts larger pages; the contract refuses them. */
	largestPage: { assumption: 'A-26', values: ['100', '10'] },
	/** The answer to an invitation by QR code. */
	qrInviteAnswer: { assumption: 'A-28', values: ['json', 'image'] },
	/** The headers of the customer context: `X-Tenant-ID` and `X-Business-Unit-ID`, or `Tenant-ID` and `Business-Unit-ID`. */
	contextHeaders: { assumption: 'A-32', values: ['prefixed', 'plain'] },
	/** Whether webhooks are registered over the API; otherwise a person does it on the page. */
	webhookRegistration: { assumption: 'A-38', values: ['on', 'off'] },
	/** How a delivery is signed. */
	signature: {
		assumption: 'A-39',
		values: ['sha256-hex', 'hex', 'base64', 'timestamped', 'standard-webhooks'],
	},
	/** Whether a delivery has headers that name its event and its time. */
	deliveryIdHeader: { assumption: 'A-39', values: ['on', 'off'] },
	/** Whether `Idempotency-Key` is honoured. */
	idempotency: { assumption: 'A-43', values: ['on', 'off'] },
	/** Whether answers tell that this version is deprecated, by `Deprecation` and `Sunset`. */
	deprecation: { assumption: 'A-44', values: ['off', 'on'] },
	/** Where an answer names its request: the header X-Request-Id, `request_id` in an error, or nowhere. */
	requestId: { assumption: 'A-45', values: ['header', 'body', 'none'] },
} as const;

type SwitchName = keyof typeof switchTable;

/** The position of every switch. */
export type Switches = { [Name in SwitchName]: (typeof switchTable)[Name]['values'][number] };

const contractChoice: Switches = {
	ids: 'prefixed',
	unknownFields: 'ignored',
	categories: 'snake_case',
	uploadFormats: 'both',
	uploadRefusal: '400',
	downloadAnswer: 'bytes',
	successEnvelope: 'bare',
	deleteAnswer: 'body',
	listEnvelope: 'pagination',
	filters: 'honoured',
	put: 'replaces',
	details: 'list',
	rateLimitWindows: 'fixed',
	rateLimitHeaders: 'all',
	retryAfter: 'seconds',
	largestPage: '100',
	qrInviteAnswer: 'json',
	contextHeaders: 'prefixed',
	webhookRegistration: 'on',
	signature: 'sha256-hex',
	deliveryIdHeader: 'on',
	idempotency: 'on',
	deprecation: 'off',
	requestId: 'header',
};

/**
 * Sets of switches: `default` is the contract's choice, `given-only` lacks what the description of the service does not give, and
 * `alternate` differs in everything that a client has to do differently.
 */
export const profiles = {
	default: contractChoice,
	'given-only': {
		...contractChoice,
		uploadFormats: 'json',
		rateLimitHeaders: 'remaining',
		retryAfter: 'none',
		webhookRegistration: 'off',
		deliveryIdHeader: 'off',
		idempotency: 'off',
		requestId: 'none',
	},
	alternate: {
		ids: 'slashes',
		unknownFields: 'ignored',
		categories: 'snake_case',
		uploadFormats: 'multipart',
		uploadRefusal: '415',
		downloadAnswer: 'redirect',
		successEnvelope: 'data',
		deleteAnswer: '204',
		listEnvelope: 'cursor',
		filters: 'ignored',
		put: 'merges',
		details: 'map',
		rateLimitWindows: 'sliding',
		rateLimitHeaders: 'remaining',
		retryAfter: 'date',
		largestPage: '10',
		qrInviteAnswer: 'image',
		contextHeaders: 'plain',
		webhookRegistration: 'off',
		signature: 'standard-webhooks',
		deliveryIdHeader: 'on',
		idempotency: 'off',
		deprecation: 'off',
		requestId: 'body',
	},
} as const satisfies Record<string, Switches>;

export type Profile = keyof typeof profiles;

/** Whether a text is the name of a profile. */
export function isProfile(name: string): name is Profile {
	return Object.hasOwn(profiles, name);
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
