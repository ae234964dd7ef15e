/** The kinds of records that a dialect names. */
export const recordKinds = [
	'dossier',
	'document',
	'portalUser',
	'invitation',
	'task',
	'auditEntry',
	'tenant',
	'webhook',
] as const;

export type RecordKind = (typeof recordKinds)[number];

/** What a service calls the fields of one kind of record. */
export interface RecordDialect {
	fields?: Record<string, string | null>;
	values?: Record<string, Record<string, string | number>>;
	filters?: Record<string, string | null>;
	readOnly?: string[];
}

/** How a header writes a time: from now, since 1970, or as a date of HTTP. */
export type TimeUnit = 'seconds' | 'milliseconds' | 'epochSeconds' | 'epochMilliseconds' | 'date';

/** What the service sends to an address before it accepts it. */
export interface ProofDialect {
	method?: 'GET' | 'POST';
	in?: 'query' | 'header' | 'body';
	name?: string;
	answerIn?: 'text' | 'header' | 'body';
	answerName?: string;
}

/** How deliveries are signed. */
export interface SignatureDialect {
	header?: string;
	format?: string;
	content?: string;
	encoding?: 'hex' | 'base64';
	secretEncoding?: 'text' | 'hex' | 'base64';
	timestampHeader?: string;
	timestampUnit?: 'seconds' | 'milliseconds' | 'date';
	idHeader?: string;
}

/** What a service calls things if it differs from the contract: `docs/dialect.schema.json`. Every part is optional. */
export interface Dialect extends Partial<Record<RecordKind, RecordDialect>> {
	naming?: 'snake_case' | 'camelCase' | 'PascalCase';
	times?: 'iso' | 'epochSeconds' | 'epochMilliseconds';
	strict?: { bodies?: boolean; queries?: boolean };
	record?: {
		envelope?: string;
		attributes?: string;
		sendIn?: string;
		typeIn?: string;
		idIn?: string;
	};
	list?: {
		envelope?: string;
		style?: 'page' | 'offset' | 'cursor' | 'link' | 'none';
		page?: string;
		offset?: string;
		cursor?: string;
		size?: string;
		firstPage?: number;
		largestSize?: number;
		next?: string;
		total?: string;
		sort?: string | null;
		order?: string | null;
	};
	upload?: { format?: 'json' | 'multipart'; content?: string; file?: string; fieldsIn?: string };
	download?: {
		answer?: 'bytes' | 'redirect' | 'content' | 'address';
		content?: string;
		address?: string;
	};
	errors?: { details?: string; field?: string; message?: string; code?: string };
	rateLimit?: {
		limit?: string;
		reset?: string;
		resetUnit?: TimeUnit;
		retryAfter?: string;
		retryAfterUnit?: TimeUnit;
	};
	registration?: {
		path?: string | null;
		secret?: 'given' | 'own';
		events?: 'list' | 'each';
		proof?: ProofDialect;
	};
	signature?: SignatureDialect;
	workspace?: { tenantHeader?: string; businessUnitHeader?: string };
	payloads?: Record<string, { fields?: Record<string, string> } | undefined>;
	idempotency?: { supported?: boolean; header?: string };
}
