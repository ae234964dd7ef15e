/** Work on some items with one operation of the node, and how the service shows what was done of it. */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { byId } from '../../integration/service.mts';
import { LISTED } from '../service/holdings.mts';
import type { Holdings, Mark } from '../service/holdings.mts';

export interface Job {
	/** The resource and the operation, as the node knows them. */
	operation: string;
	/** What tells this work from other work with the same operation. */
	variant?: string;
	as?: 'customer' | 'operator';
	/** The fields of the form, with expressions over the item. */
	parameters: INodeParameters;
	/** The calls of the service that it makes for one item, in their order. */
	calls: string[];
	/** Everything is read for all items before the work for any begins. */
	readsFirst?: boolean;
	/** A call that makes a new thing each time it is carried out. */
	creates?: boolean;
	/** The node looks for the record that it may have made, and takes it for the answer that got lost. */
	looks?: boolean;
	file?: 'in' | 'out';
	/** The calls do not tell the items apart, so there is one item. */
	single?: boolean;
	/** How often the work for an item was done at the service; reading is never "done". */
	done?: (holdings: Holdings, mark: Mark, file: Buffer) => number;
	/** Whether the outputs of an item are what they should be. */
	gives: (outputs: INodeExecutionData[], mark: Mark, read: ReadFile) => Promise<boolean> | boolean;
}

export type ReadFile = (output: INodeExecutionData | undefined) => Promise<Buffer>;

export const mark = '={{ $json.mark }}';
export const locateById = (prefix: string) => byId(`=${prefix}-{{ $json.mark }}`);
export const baseUrl = '={{ $json.base }}';

export const EVERY_RECORD: INodeParameters = { returnAll: true, output: 'raw' };
export const givesList = (prefix: string) => (outputs: INodeExecutionData[], own: Mark) =>
	JSON.stringify(outputs.map(({ json }) => json.id)) ===
	JSON.stringify(
		Array.from({ length: LISTED }, (_, n) => (n ? `${prefix}-${own}-${n}` : `${prefix}-${own}`)),
	);
export const givesId =
	(prefix: string) =>
	([output]: INodeExecutionData[], own: Mark) =>
		output?.json.id === `${prefix}-${own}`;
export const givesDeleted =
	(prefix: string) =>
	([output]: INodeExecutionData[], own: Mark) =>
		output?.json.id === `${prefix}-${own}` && output.json.deleted === true;

export const countRecords = (records: Iterable<IDataObject>, field: string, value: unknown) =>
	[...records].filter((record) => record[field] === value).length;
export const countDeletions = (prefix: string) => (holdings: Holdings, own: Mark) =>
	holdings.deleted.filter((id) => id === `${prefix}-${own}`).length;

/** 1 if a record was changed and nothing else of it is lost, 0 if it is as it was. */
export const countChanges = (record: IDataObject | undefined, others: IDataObject) => {
	if (record?.title !== 'Changed') return 0;
	const kept = Object.entries(others).every(
		([name, value]) => JSON.stringify(record[name]) === JSON.stringify(value),
	);
	return kept ? 1 : NaN;
};
export const DOSSIER_KEEPS = {
	description: 'Stays',
	tags: ['a', 'b'],
	contact: { name: 'Jane', email: 'jane@example.com' },
	custom_fields: { cost_center: '4711' },
};
