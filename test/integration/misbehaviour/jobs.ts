/** Every operation of the node as work on three items, and how the service shows what was done of it. */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { byId } from '../service';
import { contentFor, LISTED, sha256 } from './holdings';
import type { Holdings, Mark } from './holdings';

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
	/** A call that makes a new thing each time it is carried out. */
	creates?: boolean;
	file?: 'in' | 'out';
	/** The calls do not tell the items apart, so there is one item. */
	single?: boolean;
	/** How often the work for an item was done at the service; reading is never "done". */
	done?: (holdings: Holdings, mark: Mark, file: Buffer) => number;
	/** Whether the outputs of an item are what they should be. */
	gives: (outputs: INodeExecutionData[], mark: Mark, read: ReadFile) => Promise<boolean> | boolean;
}

export type ReadFile = (output: INodeExecutionData | undefined) => Promise<Buffer>;

const mark = '={{ $json.mark }}';
const idOf = (prefix: string) => byId(`=${prefix}-{{ $json.mark }}`);
const baseUrl = '={{ $json.base }}';

const all: INodeParameters = { returnAll: true, simplify: false };
const lists = (prefix: string) => (outputs: INodeExecutionData[], own: Mark) =>
	JSON.stringify(outputs.map(({ json }) => json.id)) ===
	JSON.stringify(
		Array.from({ length: LISTED }, (_, n) => (n ? `${prefix}-${own}-${n}` : `${prefix}-${own}`)),
	);
const givesId =
	(prefix: string) =>
	([output]: INodeExecutionData[], own: Mark) =>
		output?.json.id === `${prefix}-${own}`;
const givesDeleted =
	(prefix: string) =>
	([output]: INodeExecutionData[], own: Mark) =>
		output?.json.id === `${prefix}-${own}` && output.json.deleted === true;

const count = (records: Iterable<IDataObject>, field: string, value: unknown) =>
	[...records].filter((record) => record[field] === value).length;
const deletions = (prefix: string) => (holdings: Holdings, own: Mark) =>
	holdings.deleted.filter((id) => id === `${prefix}-${own}`).length;

/** 1 if a record was changed and nothing else of it is lost, 0 if it is as it was. */
const changed = (record: IDataObject | undefined, others: IDataObject) => {
	if (record?.title !== 'Changed') return 0;
	const kept = Object.entries(others).every(
		([name, value]) => JSON.stringify(record[name]) === JSON.stringify(value),
	);
	return kept ? 1 : NaN;
};
const DOSSIER_KEEPS = {
	description: 'Stays',
	tags: ['a', 'b'],
	contact: { name: 'Jane', email: 'jane@example.com' },
	custom_fields: { cost_centre: '4711' },
};

export const fileName = (own: Mark) => `sent-${own}.bin`;

/** How often the file of an item is at the service, whole; NaN if a part of it is. */
const stored = (holdings: Holdings, own: Mark, file: Buffer) => {
	const found = [...holdings.documents.values()].filter(
		({ file_name: name }) => name === fileName(own),
	);
	return found.every(({ checksum_sha256: sum }) => sum === sha256(file)) ? found.length : NaN;
};
const givesDocument = ([output]: INodeExecutionData[], own: Mark) =>
	typeof output?.json.id === 'string' && output.json.file_name === fileName(own);

const uploads: Job = {
	operation: 'document/upload',
	parameters: {
		dossierId: idOf('dos'),
		filesFrom: 'named',
		binaryPropertyName: 'data',
		category: 'other',
		ifExists: 'upload',
		options: { format: 'json' },
	},
	calls: ['documents.upload'],
	creates: true,
	file: 'in',
	done: stored,
	gives: givesDocument,
};

const asks = (operation: string, call: string, fields: INodeParameters): Job => ({
	operation: `portalSignIn/${operation}`,
	parameters: { baseUrl, ...fields },
	calls: [call],
	creates: true,
	done: (holdings, own) =>
		holdings.signIns.filter((asked) => JSON.stringify(asked).includes(own)).length,
	gives: ([output]) => output?.json.status === 'sent',
});

export const jobs: Job[] = [
	{
		operation: 'dossier/get',
		parameters: { dossierId: idOf('dos'), simplify: true },
		calls: ['dossiers.get'],
		gives: givesId('dos'),
	},
	{
		operation: 'dossier/getAll',
		parameters: { ...all, filters: { search: mark } },
		calls: ['dossiers.list'],
		gives: lists('dos'),
	},
	{
		operation: 'dossier/create',
		parameters: { title: `=New {{ $json.mark }}`, fields: {} },
		calls: ['dossiers.create'],
		creates: true,
		done: ({ dossiers }, own) => count(dossiers.values(), 'title', `New ${own}`),
		gives: ([output], own) => output?.json.title === `New ${own}`,
	},
	{
		operation: 'dossier/upsert',
		variant: 'of a new one',
		parameters: { reference: '=new-{{ $json.mark }}', title: 'New', fields: {} },
		calls: ['dossiers.list', 'dossiers.create'],
		creates: true,
		done: ({ dossiers }, own) => count(dossiers.values(), 'reference', `new-${own}`),
		gives: ([output], own) => output?.json.reference === `new-${own}`,
	},
	{
		operation: 'dossier/upsert',
		variant: 'of one that is there',
		parameters: { reference: '=ref-{{ $json.mark }}', title: 'Changed', fields: {} },
		calls: ['dossiers.list', 'dossiers.update'],
		done: ({ dossiers }, own) => changed(dossiers.get(`dos-${own}`), DOSSIER_KEEPS),
		gives: givesId('dos'),
	},
	{
		operation: 'dossier/update',
		parameters: { dossierId: idOf('dos'), fields: { title: 'Changed' } },
		calls: ['dossiers.get', 'dossiers.update'],
		done: ({ dossiers }, own) => changed(dossiers.get(`dos-${own}`), DOSSIER_KEEPS),
		gives: givesId('dos'),
	},
	{
		operation: 'dossier/delete',
		parameters: { dossierId: idOf('dos') },
		calls: ['dossiers.delete'],
		done: deletions('dos'),
		gives: givesDeleted('dos'),
	},
	{
		operation: 'document/get',
		parameters: { documentId: idOf('doc'), simplify: true },
		calls: ['documents.get'],
		gives: givesId('doc'),
	},
	{
		operation: 'document/getAll',
		parameters: { dossierId: idOf('dos'), ...all },
		calls: ['documents.list'],
		gives: lists('doc'),
	},
	{
		operation: 'document/delete',
		parameters: { documentId: idOf('doc') },
		calls: ['documents.delete'],
		done: deletions('doc'),
		gives: givesDeleted('doc'),
	},
	{
		operation: 'document/download',
		parameters: { documentId: idOf('doc'), binaryPropertyName: 'data' },
		calls: ['documents.get', 'documents.download'],
		file: 'out',
		gives: async ([output], own, read) =>
			output?.binary?.data?.fileName === `held-${own}.bin` &&
			(await read(output)).equals(contentFor(own, 40_000)),
	},
	uploads,
	{
		...uploads,
		variant: 'as a form',
		parameters: { ...uploads.parameters, options: { format: 'multipart' } },
	},
	{
		...uploads,
		variant: 'with Skip',
		parameters: { ...uploads.parameters, ifExists: 'skip' },
		calls: ['documents.list', 'documents.upload'],
	},
	{
		...uploads,
		variant: 'from an address',
		parameters: {
			...uploads.parameters,
			filesFrom: 'url',
			fileUrl: '={{ $json.file }}',
			options: { format: 'json', fileName: '=sent-{{ $json.mark }}.bin' },
		},
		calls: ['files.get', 'documents.upload'],
		done: (holdings, own) => stored(holdings, own, contentFor(own, 40_000)),
	},
	{
		operation: 'portalUser/getAll',
		parameters: { ...all, filters: { search: mark } },
		calls: ['portal.users.list'],
		gives: lists('usr'),
	},
	{
		operation: 'portalUser/invite',
		parameters: { email: '={{ $json.mark }}@example.com', dossierIds: [], fields: {} },
		calls: ['portal.invite'],
		creates: true,
		done: ({ invitations }, own) => count(invitations, 'email', `${own}@example.com`),
		gives: ([output]) => output?.json.state === 'pending',
	},
	{
		operation: 'portalUser/inviteQr',
		parameters: {
			dossierIds: [],
			qrFormat: 'png',
			binaryPropertyName: 'data',
			fields: { email: '={{ $json.mark }}@example.com' },
		},
		calls: ['portal.inviteQr'],
		creates: true,
		file: 'out',
		done: ({ invitations }, own) => count(invitations, 'email', `${own}@example.com`),
		gives: async ([output], _, read) =>
			output?.json.state === 'pending' && (await read(output)).toString('latin1').includes('PNG'),
	},
	{
		operation: 'portalUser/remove',
		parameters: { portalUserId: idOf('usr') },
		calls: ['portal.users.delete'],
		done: deletions('usr'),
		gives: givesDeleted('usr'),
	},
	{
		operation: 'task/getAll',
		parameters: { ...all, filters: { search: mark } },
		calls: ['tasks.list'],
		gives: lists('tsk'),
	},
	{
		operation: 'task/create',
		parameters: { title: '=New {{ $json.mark }}', fields: {} },
		calls: ['tasks.create'],
		creates: true,
		done: ({ tasks }, own) => count(tasks.values(), 'title', `New ${own}`),
		gives: ([output], own) => output?.json.title === `New ${own}`,
	},
	{
		operation: 'task/update',
		parameters: { taskId: idOf('tsk'), fields: { title: 'Changed' } },
		calls: ['tasks.update'],
		done: ({ tasks }, own) => changed(tasks.get(`tsk-${own}`), { description: 'Stays' }),
		gives: givesId('tsk'),
	},
	{
		operation: 'task/delete',
		parameters: { taskId: idOf('tsk') },
		calls: ['tasks.delete'],
		done: deletions('tsk'),
		gives: givesDeleted('tsk'),
	},
	{
		operation: 'auditLog/getAll',
		parameters: { ...all, filters: { action: '=action.{{ $json.mark }}' } },
		calls: ['audit.list'],
		gives: ([output, ...others], own) =>
			output?.json.action === `action.${own}` && others.length === 0,
	},
	{
		operation: 'auditLog/export',
		variant: 'as a file',
		parameters: { exportAs: 'csv', from: '={{ $json.from }}', to: '', binaryPropertyName: 'data' },
		calls: ['audit.export'],
		file: 'out',
		gives: async ([output], _, read) => {
			const lines = (await read(output)).toString().split('\n');
			return lines.length === LISTED * 3 && lines.at(-1) === 'aud-mark-2-4,action.mark-2-4';
		},
	},
	{
		operation: 'auditLog/export',
		variant: 'as items',
		parameters: { exportAs: 'items', from: '={{ $json.from }}', to: '' },
		calls: ['audit.export'],
		gives: (outputs) => outputs.length === LISTED * 3,
	},
	asks('sendMagicLink', 'portal.auth.magicLink', { email: '={{ $json.mark }}@example.com' }),
	asks('redeemMagicLink', 'portal.auth.magicLink', { token: mark }),
	asks('sendSmsCode', 'portal.auth.smsOtp', { phone: mark }),
	asks('verifySmsCode', 'portal.auth.smsOtp', { challengeId: mark, code: '042137' }),
	{
		operation: 'workspace/getBootstrap',
		as: 'customer',
		parameters: {},
		calls: ['workspace.bootstrap'],
		single: true,
		gives: ([output]) => output?.json.plan === 'enterprise',
	},
	{
		...uploads,
		operation: 'workspace/createDocument',
		as: 'customer',
		parameters: { ...uploads.parameters, dossierId: '=dos-{{ $json.mark }}' },
		calls: ['workspace.documents.create'],
	},
	{
		operation: 'workspace/updateDossier',
		as: 'customer',
		parameters: { dossierId: '=dos-{{ $json.mark }}', fields: { title: 'Changed' } },
		calls: ['workspace.dossiers.update'],
		done: ({ dossiers }, own) => changed(dossiers.get(`dos-${own}`), DOSSIER_KEEPS),
		gives: givesId('dos'),
	},
	{
		operation: 'administration/getAll',
		as: 'operator',
		parameters: { returnAll: false, limit: '={{ $json.limit }}', simplify: false },
		calls: ['admin.tenants.list'],
		gives: (outputs) => outputs.length === LISTED,
	},
	{
		operation: 'administration/setFeatureFlag',
		as: 'operator',
		parameters: { key: '=flag-{{ $json.mark }}', enabled: true, fields: {} },
		calls: ['admin.featureFlags.set'],
		creates: true,
		done: ({ flags }, own) => count(flags, 'key', `flag-${own}`),
		gives: ([output], own) => output?.json.key === `flag-${own}`,
	},
	{
		operation: 'service/checkHealth',
		parameters: { baseUrl },
		calls: ['health.get'],
		gives: ([output]) => output?.json.status === 'ok',
	},
];
