import type { RequestContext } from '../accounts/caller.ts';
import type { JsonObject } from '../platform/json.ts';
import type { Service } from '../service.ts';
import type { Row } from '../database/database.ts';
import { toSearchText } from '../database/listing.ts';
import type { ListQuery } from '../database/listing.ts';
import type { SeededOrganization } from '../accounts/organizations.ts';
import { formatValue } from './elements.ts';
import type { Choice } from './forms.ts';
import type { PageContext } from './request.ts';

export type Environment = 'live' | 'test';

/** The data that one kind of key of an organization sees. */
export interface Dataset {
	organization: SeededOrganization;
	environment: Environment;
	n: number;
	/** The user of its keys. */
	userId: string;
	/** Where its pages are. */
	path: string;
}

/** How many entries a page of a list has. */
export const perPage = 25;

/** The data that the path of an address names. Throws a RangeError where there is none. */
export function findDataset({ organizations }: Service, { req }: PageContext): Dataset {
	const environment = req.param('environment') === 'test' ? 'test' : 'live';
	const organization = organizations.find(req.param('organization') ?? '');
	const { n, userId } = organizations.dataset(organization.id, environment);
	return { organization, environment, n, userId, path: recordsPath(organization.id, environment) };
}

/** Where the records of some data are shown. */
export function recordsPath(organizationId: string, environment: Environment): string {
	return `/_sandbox/records/${organizationId}/${environment}`;
}

/** All data to choose from: `<organization>/live` and `<organization>/test`. */
export function listDatasets({ organizations }: Service): Choice[] {
	return organizations.all().flatMap(({ id, name, plan }) =>
		(['live', 'test'] as const).map((environment) => ({
			value: `${id}/${environment}`,
			label: `${name}, ${environment} data`,
			group: `${plan}: ${id}`,
		})),
	);
}

/** What `listDatasets` offers, in its two parts. */
export function parseDataset(value: string | undefined): {
	organization_id: string;
	environment: string;
} {
	const [organization_id = '', environment = ''] = (value ?? '').split('/');
	return { organization_id, environment };
}

/** Whoever sits in front of the page acts in the name of the data's own user. */
export function actAs(
	service: Service,
	{ n, userId }: Dataset,
	{ env, req }: PageContext,
): RequestContext {
	return {
		dataset: n,
		userId,
		time: service.clock.iso(),
		actor: { type: 'system', id: null, name: 'Control room' },
		ipAddress: env.incoming.socket.remoteAddress ?? null,
		userAgent: req.header('user-agent') ?? null,
		requestId: null,
	};
}

/** One page of a table, the newest first, with its fields as the service shows them. */
export function fetchRecords(
	service: Service,
	within: { sql: string; value: number },
	{
		table,
		fieldsOf,
		sort = 'created_at',
		tie = 'id',
		search,
		page,
	}: {
		table: ListQuery['table'];
		fieldsOf: (row: Row) => JsonObject;
		sort?: string;
		tie?: 'id' | 'n';
		search: string | undefined;
		page: number;
	},
): { records: JsonObject[]; total: number } {
	const found = { sql: 'instr(search, ?) > 0', value: toSearchText(search ?? '') };
	const { rows, total } = service.listing.page({
		table,
		conditions: search === undefined ? [within] : [within, found],
		sort,
		tie,
		order: 'desc',
		page,
		perPage,
	});
	return { records: rows.map(fieldsOf), total };
}

/** An identifier as the service shows it now; an empty text where there is none. */
export function formatId({ ids }: Service, id: string | null): string {
	if (id === null) return '';
	const body = ids.translateOut({ id });
	return typeof body === 'object' && body !== null && 'id' in body ? formatValue(body.id) : '';
}

const abbreviations: Record<string, string> = {
	api: 'API',
	id: 'ID',
	ids: 'IDs',
	put: 'PUT',
	qr: 'QR',
};

/** A name of the service as words: the first letter in upper case, and no `_`. */
export function toWords(name: string): string {
	const spaced = name
		.split('_')
		.map((word) => abbreviations[word] ?? word)
		.join(' ');
	return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
