/** Draws services: dialects from everything that a dialect can say, and what the connector finds out by the answers. */
import fc from 'fast-check';
import type { Dialect, Switches } from '../../sandbox/src/index.ts';
import { drawKind, payloads } from './drawRecords';

/** A service: what it calls things, and how it does what a dialect does not tell. */
export interface DrawnService {
	dialect: Dialect;
	switches: Partial<Switches>;
}

type Part<Name extends keyof Dialect> = fc.Arbitrary<NonNullable<Dialect[Name]>>;
type ListPart = NonNullable<Dialect['list']>;

const optional = { requiredKeys: [] };
const oneOf = fc.constantFrom;

const naming = oneOf('snake_case' as const, 'camelCase' as const, 'PascalCase' as const);

const record: Part<'record'> = fc
	.tuple(
		fc.record(
			{
				envelope: oneOf('data', 'result', 'response.item', '{kind}', 'data.{kind}'),
				attributes: oneOf('attributes', 'fields', 'body.values'),
				sendIn: oneOf('data.attributes', 'payload', '{kind}', 'data'),
			},
			optional,
		),
		fc.record(
			{ typeIn: oneOf('data.type', 'about.kind'), idIn: oneOf('data.id', 'about.key') },
			optional,
		),
	)
	.map(([places, { typeIn, idIn }]) => {
		// Beside the fields, where a field can have the same name, they stand only under names of their own.
		const isFree = (path?: string) =>
			path?.startsWith('about.') || places.sendIn === 'data.attributes';
		return {
			...places,
			...(isFree(typeIn) && typeIn && { typeIn }),
			...(isFree(idIn) && idIn && { idIn }),
		};
	});

const places = {
	envelope: oneOf('items', 'result.records', '{kinds}', 'data'),
	total: oneOf('count', 'paging.total'),
	sort: oneOf(null, 'sort', 'order_by'),
	order: oneOf(null, 'order', 'direction'),
};
const sizes = {
	size: oneOf('limit', 'pageSize', 'page[size]', 'per_page'),
	largestSize: fc.integer({ min: 2, max: 100 }),
};

const drawList = (style: ListPart['style'], more: Record<string, fc.Arbitrary<string | number>>) =>
	fc
		.record({ ...places, ...(style !== 'none' && sizes), ...more }, optional)
		.map((drawn): ListPart => ({ ...drawn, style }));

const list: Part<'list'> = fc.oneof(
	drawList('page', { page: oneOf('page', 'p', 'page[number]'), firstPage: oneOf(0, 1) }),
	drawList('offset', { offset: oneOf('offset', 'skip', 'start') }),
	drawList('cursor', {
		cursor: oneOf('cursor', 'pageToken', 'after'),
		next: oneOf('next', 'paging.cursors.after', 'nextPageToken'),
	}),
	drawList('link', { next: oneOf('links.next', 'next', 'paging.next') }),
	drawList('none', {}),
);

const upload: Part<'upload'> = fc.oneof(
	fc.record(
		{ format: fc.constant('json' as const), content: oneOf('blob', 'data64', 'Body') },
		{
			requiredKeys: ['format'],
		},
	),
	fc.record(
		{
			format: fc.constant('multipart' as const),
			file: oneOf('file', 'upload', 'Content'),
			fieldsIn: oneOf('metadata', 'json'),
		},
		{ requiredKeys: ['format'] },
	),
	fc
		.record(
			{
				address: oneOf('upload.url', 'link', '/v1/documents/{id}/content'),
				headers: oneOf('upload.headers', 'headers'),
				confirm: oneOf('/v1/documents/{id}/confirm', '/v1/uploads/{id}/done'),
			},
			{ requiredKeys: ['address'] },
		)
		.map(({ headers, ...drawn }) => ({
			format: 'separate' as const,
			...drawn,
			// Only an address in the answer has headers beside it.
			...(headers && !drawn.address.startsWith('/') && { headers }),
		})),
);

const download: Part<'download'> = fc.oneof(
	fc.record({ answer: oneOf('bytes' as const, 'redirect' as const) }),
	fc.record(
		{ answer: fc.constant('content' as const), content: oneOf('content', 'file.base64', 'blob') },
		{ requiredKeys: ['answer'] },
	),
	fc.record(
		{ answer: fc.constant('address' as const), address: oneOf('link', 'file.href', 'location') },
		{ requiredKeys: ['answer'] },
	),
);

const errors: Part<'errors'> = fc.record(
	{
		details: oneOf('errors', 'error.violations', 'meta.problems'),
		field: oneOf('field', 'path', 'source.pointer'),
		message: oneOf('message', 'detail', 'text'),
		code: oneOf('code', 'rule'),
	},
	optional,
);

const units = [
	'seconds' as const,
	'milliseconds' as const,
	'epochSeconds' as const,
	'epochMilliseconds' as const,
	'date' as const,
];

const rateLimit: Part<'rateLimit'> = fc.record(
	{
		limit: oneOf('RateLimit-Limit', 'X-Quota'),
		reset: oneOf('RateLimit-Reset', 'X-Quota-Until'),
		resetUnit: oneOf(...units),
		retryAfter: oneOf('Retry-After', 'X-Wait'),
		retryAfterUnit: oneOf(...units),
	},
	optional,
);

const proof = fc
	.record({
		method: oneOf('GET' as const, 'POST' as const),
		in: oneOf('query' as const, 'header' as const, 'body' as const),
		name: oneOf('challenge', 'X-Hook-Secret'),
		answerIn: oneOf('text' as const, 'header' as const, 'body' as const),
		answerName: oneOf('reply', 'X-Hook-Reply'),
	})
	.filter((one) => one.method === 'POST' || one.in !== 'body');

const registration: Part<'registration'> = fc.record(
	{
		path: oneOf(null, '/v1/settings/hooks', '/v1/subscriptions'),
		secret: oneOf('given' as const, 'own' as const),
		events: oneOf('list' as const, 'each' as const),
		proof,
	},
	optional,
);

const signature: Part<'signature'> = fc.record(
	{
		header: oneOf('X-Signature', 'Webhook-Sign'),
		format: oneOf(
			'{signature}',
			'v1={signature}',
			't={timestamp},v1={signature}',
			'v1,{signature}',
		),
		content: oneOf('{body}', '{timestamp}.{body}', '{id}.{timestamp}.{body}', '{body}{timestamp}'),
		encoding: oneOf('hex' as const, 'base64' as const),
		secretEncoding: oneOf('text' as const, 'hex' as const, 'base64' as const),
		timestampHeader: oneOf('X-Sent-At', 'Webhook-Timestamp'),
		timestampUnit: oneOf('seconds' as const, 'milliseconds' as const, 'date' as const),
		idHeader: oneOf('X-Delivery', 'Webhook-Id'),
	},
	optional,
);

const idempotency: Part<'idempotency'> = fc.record(
	{ supported: fc.boolean(), header: oneOf('Idempotency-Key', 'X-Request-Key') },
	optional,
);

const workspace: Part<'workspace'> = fc.record(
	{
		tenantHeader: oneOf('Tenant-ID', 'X-Customer'),
		businessUnitHeader: oneOf('Business-Unit-ID', 'X-Unit'),
	},
	optional,
);

const parts: fc.Arbitrary<Dialect> = fc
	.record(
		{
			naming,
			times: oneOf('iso' as const, 'epochSeconds' as const, 'epochMilliseconds' as const),
			strict: fc.record({ bodies: fc.boolean(), queries: fc.boolean() }, optional),
			record,
			list,
			upload,
			download,
			errors,
			rateLimit,
			registration,
			signature,
			payloads,
			idempotency,
			dossier: drawKind('dossier'),
			portalUser: drawKind('portalUser'),
			invitation: drawKind('invitation'),
			task: drawKind('task'),
			auditEntry: drawKind('auditEntry'),
			webhook: drawKind('webhook'),
			tenant: drawKind('tenant'),
			workspace,
		},
		optional,
	)
	.chain((drawn) => {
		// A form has no objects, so its fields have no places in any.
		const isFlat = drawn.upload?.format === 'multipart' && drawn.upload.fieldsIn === undefined;
		const document = fc.option(drawKind('document', { isFlat }), { nil: undefined });
		return document.map((one): Dialect => ({ ...drawn, ...(one && { document: one }) }));
	});

const switches: fc.Arbitrary<Partial<Switches>> = fc.record(
	{
		ids: oneOf('prefixed' as const, 'integer' as const, 'uuid' as const, 'slashes' as const),
		deleteAnswer: oneOf('body' as const, '204' as const),
		put: oneOf('replaces' as const, 'merges' as const),
		qrInviteAnswer: oneOf('json' as const, 'image' as const),
		details: oneOf('list' as const, 'map' as const),
	},
	optional,
);

/** Services that differ in everything that a dialect can say, with names that mean nothing. */
export const drawnServices: fc.Arbitrary<DrawnService> = fc.record({
	dialect: parts,
	switches,
});
