/** Work that sends or receives a file. */
import type { INodeExecutionData } from 'n8n-workflow';
import { sha256 } from '../../integration/fakeService.mts';
import { contentFor, LISTED } from '../service/holdings.mts';
import type { Holdings, Mark } from '../service/holdings.mts';
import { locateById } from './job.mts';
import type { Job } from './job.mts';

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
		dossierId: locateById('dos'),
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

export const onFiles: Job[] = [
	{
		operation: 'document/download',
		parameters: { documentId: locateById('doc'), binaryPropertyName: 'data' },
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
		looks: true,
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
		...uploads,
		operation: 'document/synchronize',
		looks: true,
		parameters: { ...uploads.parameters, extent: 'atLeast', dryRun: false },
		calls: ['documents.list', 'documents.upload'],
		readsFirst: true,
		gives: (outputs, own) =>
			givesDocument(outputs, own) &&
			outputs.every(({ json }, at) => json.action === (at ? 'kept' : 'uploaded')) &&
			outputs.length === LISTED + 1,
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
	{
		...uploads,
		operation: 'workspace/createDocument',
		as: 'customer',
		parameters: { ...uploads.parameters, dossierId: '=dos-{{ $json.mark }}' },
		calls: ['workspace.documents.create'],
	},
];
