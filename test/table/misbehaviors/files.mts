/** Downloads that redirect, break off and resume, and files about which the service says little or something wrong. */
import type { INodeExecutionData } from 'n8n-workflow';
import type { Mark } from '../service/holdings.mts';
import { empty, json, withHeaders } from '../service/replies.mts';
import type { Reply } from '../service/replies.mts';
import type { Seen } from '../service/server.mts';
import type { Misbehavior, Target } from './misbehavior.mts';

const isDownload = ({ call }: Target) => call === 'documents.download';
const isRecordOfFile = ({ job, answer }: Target) =>
	job.operation === 'document/download' && answer === 'record';

const movedTo = (location: string): Reply => empty(302, { location });

const withFields = (reply: Reply, change: (record: Record<string, unknown>) => void): Reply => {
	const record = JSON.parse(reply.body.toString()) as Record<string, unknown>;
	change(record);
	return json(reply.status, record);
};

/** Complains if the node sent the key to the target of a redirect. */
const findLeakedKey = (requests: Seen[]) =>
	requests.some(({ call, headers }) => call === 'documents.content' && headers.authorization)
		? 'the key was sent along with a redirect'
		: undefined;

/** Complains unless a second request asks for the rest of the file. */
const findMissingResume = (requests: Seen[]) => {
	const ranges = requests
		.filter(({ call }) => call === 'documents.download')
		.map(({ headers }) => headers.range ?? '');
	return ranges.length === 2 && /^bytes=[1-9]\d*-$/.test(ranges[1] ?? '')
		? undefined
		: `the ranges asked for were ${JSON.stringify(ranges)}`;
};

/** Whether the file of an output has this name. */
const hasFileName =
	(name: (mark: Mark) => RegExp): Misbehavior['gives'] =>
	([output]: INodeExecutionData[], mark) =>
		name(mark).test(output?.binary?.data?.fileName ?? '');

export const files: Misbehavior[] = [
	{
		name: 'moves the file to a relative address',
		meets: isDownload,
		plan: () => ({ instead: () => movedTo('content') }),
		judge: findLeakedKey,
	},
	{
		name: 'moves the file five times',
		meets: isDownload,
		plan: () => ({ instead: () => movedTo('content?hops=4') }),
		judge: findLeakedKey,
	},
	{
		name: 'moves the file for ever',
		meets: isDownload,
		plan: () => ({ instead: () => movedTo('content?hops=ever') }),
		ends: () => ({ failure: 'moved', done: [0] }),
		judge: (requests) =>
			requests.length > 100 ? `it was followed ${requests.length} times` : findLeakedKey(requests),
	},
	{
		name: 'moves the file to something that is not on the web',
		meets: isDownload,
		plan: () => ({ instead: () => movedTo('ftp://127.0.0.1/file') }),
		ends: () => ({ failure: 'redirected', done: [0] }),
	},
	{
		name: 'gives a relative address of the file as JSON',
		meets: isDownload,
		plan: () => ({ instead: () => json(200, { url: 'content' }) }),
		judge: findLeakedKey,
	},
	{
		name: 'cuts the file in the middle, once, and resumes there',
		times: 1,
		meets: isDownload,
		// The pause lets the bytes arrive, since a broken connection loses the last ones.
		plan: () => ({ delivery: { piece: 10_000, pause: 1_500, cutAt: 20_000 } }),
		judge: findMissingResume,
	},
	{
		name: 'cuts the file in the middle, once, then has another file',
		times: 1,
		meets: isDownload,
		plan: () => ({
			delivery: { cutAt: 20_000 },
			change: (reply) => ({
				...withHeaders(reply, { etag: '"another"' }),
				body: Buffer.alloc(reply.body.length, 'x'),
			}),
		}),
		// The node cannot take back the bytes that it passed on before.
		ends: () => ({ mayFail: 'changed', done: [0] }),
	},
	{
		name: 'cuts the file in the middle, once, and resumes elsewhere',
		times: 1,
		meets: isDownload,
		plan: () => ({ delivery: { cutAt: 20_000 } }),
		then: {
			change: (reply, { headers }) =>
				headers.range
					? { ...withHeaders(reply, { 'content-range': 'bytes 5-39999/40000' }), status: 206 }
					: reply,
		},
		ends: () => ({ mayFail: 'garbled', done: [0] }),
	},
	{
		name: 'does not know the checksum',
		meets: isRecordOfFile,
		plan: () => ({
			change: (reply) => withFields(reply, (record) => delete record.checksum_sha256),
		}),
	},
	{
		name: 'says that the file has another checksum',
		meets: isRecordOfFile,
		plan: () => ({
			change: (reply) => withFields(reply, (record) => (record.checksum_sha256 = '0'.repeat(64))),
		}),
		ends: () => ({ failure: 'garbled', done: [0] }),
	},
	{
		name: 'names the file in raw UTF-8',
		meets: isDownload,
		plan: () => ({
			change: (reply) => {
				const header = Buffer.from('attachment; filename="Prüfung.bin"').toString('latin1');
				return withHeaders(reply, { 'content-disposition': header });
			},
		}),
		gives: hasFileName((mark) => new RegExp(`^(Prüfung|held-${mark})\\.bin$`)),
	},
	{
		name: 'names the file without quotes',
		meets: isDownload,
		plan: () => ({
			change: (reply) =>
				withHeaders(reply, { 'content-disposition': 'attachment; filename=my file.bin' }),
		}),
		gives: hasFileName((mark) => new RegExp(`^(my file|held-${mark})\\.bin$`)),
	},
	{
		name: 'says that it stored another size than it got',
		meets: ({ sendsFile }) => sendsFile,
		plan: () => ({ change: (reply) => withFields(reply, (record) => (record.size_bytes = 7)) }),
		ends: () => ({ failure: 'stored', done: [1] }),
	},
	{
		name: 'says that it stored another checksum than it got',
		meets: ({ sendsFile }) => sendsFile,
		plan: () => ({
			change: (reply) => withFields(reply, (record) => (record.checksum_sha256 = '0'.repeat(64))),
		}),
		ends: () => ({ failure: 'stored', done: [1] }),
	},
];
