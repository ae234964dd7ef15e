import { canonical } from './canonical';
import type { RecordKind } from './canonical';

/**
 * The JSON Schema of a dialect, from which its TypeScript type, the check of the credential and docs/dialect.schema.json
 * are made. It uses only the keywords that `checkAgainstSchema` reads. scripts/docs/dialectDescriptions.mts says what each
 * part means.
 */

const text = { type: 'string', minLength: 1 } as const;
const textOrNull = { type: ['string', 'null'], minLength: 1 } as const;
const header = { type: 'string', pattern: '^[A-Za-z0-9-]+$' } as const;

const choice = <const C extends readonly string[]>(...words: C) => ({ enum: words }) as const;

const group = <const P extends object>(properties: P) =>
	({ type: 'object', properties, additionalProperties: false }) as const;

/** JSON Schema requires at least one name in an enum; no field has the empty name. */
const mapping = <const V extends object>(names: readonly string[], additionalProperties: V) =>
	({
		type: 'object',
		propertyNames: { enum: names.length ? names : [''] },
		additionalProperties,
	}) as const;

const recordSchema = (kind: RecordKind) => {
	const { fields, filters, valued } = canonical[kind];
	return group({
		fields: mapping(fields, textOrNull),
		sentAs: mapping(fields, text),
		values: mapping(valued, {
			type: 'object',
			additionalProperties: { type: ['string', 'integer', 'boolean'] },
		}),
		filters: mapping(filters, textOrNull),
		days: { type: 'array', items: { enum: fields.filter((field) => field.endsWith('_at')) } },
		readOnly: { type: 'array', items: text },
	});
};

export const dialectSchema = group({
	$schema: text,
	naming: choice('snake_case', 'camelCase', 'PascalCase'),
	times: choice('iso', 'epochSeconds', 'epochMilliseconds'),
	list: group({
		style: choice('page', 'offset', 'cursor', 'link', 'none'),
		page: text,
		offset: text,
		cursor: text,
		size: text,
		firstPage: { type: 'integer', minimum: 0 },
		largestSize: { type: 'integer', minimum: 1 },
		sort: textOrNull,
		order: textOrNull,
	}),
	dossier: recordSchema('dossier'),
	document: recordSchema('document'),
	portalUser: recordSchema('portalUser'),
	invitation: recordSchema('invitation'),
	task: recordSchema('task'),
	auditEntry: recordSchema('auditEntry'),
	tenant: recordSchema('tenant'),
	webhook: recordSchema('webhook'),
	upload: group({
		format: choice('json', 'multipart', 'separate'),
		content: text,
		file: text,
		address: text,
		confirm: { type: 'string', pattern: '^(?:/(?:[A-Za-z0-9_.~-]+|\\{[^{}/]+\\}))+$' },
	}),
	download: group({ notReady: text, noFile: text }),
	registration: group({
		path: { type: 'string', pattern: '^/(?:[A-Za-z0-9_.~-]+/)*[A-Za-z0-9_.~-]+$' },
	}),
	signature: group({
		header,
		format: text,
		content: text,
		encoding: choice('hex', 'base64'),
		secretEncoding: choice('text', 'hex', 'base64'),
		timestampHeader: header,
		idHeader: header,
	}),
	workspace: group({ tenantHeader: header, businessUnitHeader: header }),
	idempotency: group({ supported: { type: 'boolean' }, header }),
});

/** The type of the values that a JSON Schema accepts, for the keywords that are used here. */
type FromSchema<S> = S extends { enum: ReadonlyArray<infer V> }
	? V
	: S extends { type: readonly ['string', 'null'] }
		? string | null
		: S extends { type: readonly ['string', 'integer', 'boolean'] }
			? string | number | boolean
			: S extends { type: 'string' }
				? string
				: S extends { type: 'integer' }
					? number
					: S extends { type: 'boolean' }
						? boolean
						: S extends { type: 'array'; items: infer I }
							? Array<FromSchema<I>>
							: S extends { properties: infer P }
								? { -readonly [K in keyof P]?: FromSchema<P[K]> }
								: S extends { additionalProperties: infer A }
									? Record<string, FromSchema<A>>
									: never;

/** A dialect: every part is optional, and what is absent is as docs/contract.md assumes it. */
export type Dialect = FromSchema<typeof dialectSchema>;
