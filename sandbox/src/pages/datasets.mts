import { createSystemContext } from '../accounts/caller.mts';
import type { RequestContext } from '../accounts/caller.mts';
import type { KeyKind } from '../accounts/keys.mts';
import type { SeededOrganization } from '../accounts/organizations.mts';
import { toSearchText } from '../database/listing.mts';
import type { ListQuery, RecordReader } from '../database/listing.mts';
import type { JsonObject } from '../platform/json.mts';
import type { Service } from '../service.mts';
import { formatValue } from './elements.mts';
import type { PageContext } from './request.mts';

/** The data that one kind of key of an organization sees. */
export interface Dataset {
	organization: SeededOrganization;
	environment: KeyKind;
	n: number;
	/** The user of its keys. */
	userId: string;
	/** The address of its pages. */
	path: string;
}

/** Entries on each page of a list. */
export const perPage = 25;

/** The dataset that the address of a page names. Throws a RangeError if there is no such organization. */
export function findDataset(service: Service, { req }: PageContext): Dataset {
	const organization = service.organizations.find(req.param('organization') ?? '');
	return readDataset(service, organization, req.param('environment') === 'test' ? 'test' : 'live');
}

/** Both datasets of every organization: test data first, because that is what a sandbox is for. */
export function listDatasets(service: Service): Dataset[] {
	return service.organizations
		.all()
		.flatMap((one) => [readDataset(service, one, 'test'), readDataset(service, one, 'live')]);
}

function readDataset(
	{ organizations }: Service,
	organization: SeededOrganization,
	environment: KeyKind,
): Dataset {
	const { n, userId } = organizations.dataset(organization.id, environment);
	const path = `/_sandbox/records/${organization.id}/${environment}`;
	return { organization, environment, n, userId, path };
}

/** The context of what a person does on a page: in the name of the dataset's own user. */
export function createPageContext(
	{ clock }: Service,
	dataset: Dataset,
	{ env: { incoming } }: PageContext,
): RequestContext {
	return createSystemContext(clock, dataset, { incoming });
}

export interface RecordQuery {
	table: ListQuery['table'];
	store: RecordReader;
	sort?: string;
	tie?: 'id' | 'n';
}

/** One page of a table, newest first, with the fields that the service shows. */
export function fetchRecords(
	service: Service,
	within: { sql: string; value: number | string },
	{ table, store, sort = 'created_at', tie = 'id' }: RecordQuery,
	{ search, page, size = perPage }: { search?: string | undefined; page: number; size?: number },
): { records: JsonObject[]; total: number } {
	const matching = { sql: 'instr(search, ?) > 0', value: toSearchText(search ?? '') };
	const { rows, total } = service.listing.page({
		table,
		conditions: search === undefined ? [within] : [within, matching],
		sort,
		tie,
		order: 'desc',
		skip: (page - 1) * size,
		perPage: size,
	});
	return { records: rows.map((row) => store.readFields(row)), total };
}

/** An identifier in the form that the service uses now; an empty text if there is none. */
export function formatId({ ids }: Service, id: string | null): string {
	if (id === null) return '';
	const body = ids.translateOut({ id });
	return typeof body === 'object' && body !== null && 'id' in body ? formatValue(body.id) : '';
}
