/** Downloads that move, break off and go on, and files of which the service says little or something wrong. */
import type { INodeExecutionData } from 'n8n-workflow';
import type { Mark } from '../service/holdings';
import { json } from '../service/replies';
import type { Reply } from '../service/replies';
import type { Seen } from '../service/server';
import { well } from './misbehaviour';
import type { Misbehaviour, Target } from './misbehaviour';

const isDownload = ({ call }: Target) => call === 'documents.download';
const isRecordOfFile = ({ job, answer }: Target) =>
	job.operation === 'document/download' && answer === 'record';

const movedTo = (location: string): Reply => ({
	status: 302,
	headers: { location },
	body: Buffer.alloc(0),
});

const withFields = (reply: Reply, change: (record: Record<string, unknown>) => void): Reply => {
	const record = JSON.parse(reply.body.toString()) as Record<string, unknown>;
	change(record);
	return json(reply.status, record);
};

/** The key goes to the service alone, and so not along with a redirect. */
const withoutKey = (requests: Seen[]) =>
	requests.some(({ call, headers }) => call === 'documents.content' && headers.authorization)
		? 'the key was sent along with a redirect'
		: undefined;

const goesOn = (requests: Seen[]) => {
	const ranges = requests.filter(isDownload_).map(({ headers }) => headers.range ?? '');
	return ranges.length === 2 && /^bytes=[1-9]\d*-$/.test(ranges[1] ?? '')
		? undefined
		: `the ranges asked for were ${JSON.stringify(ranges)}`;
};
const isDownload_ = ({ call }: Seen) => call === 'documents.download';

const named =
	(name: (mark: Mark) => RegExp): Misbehaviour['gives'] =>
	([output]: INodeExecutionData[], mark) =>
		name(mark).test(output?.binary?.data?.fileName ?? '');

export const files: Misbehaviour[] = [
	{
		name: 'moves the file to a relative address',
		times: Infinity,
		meets: isDownload,
		plan: () => ({ instead: () => movedTo('content') }),
		ends: well,
		judge: withoutKey,
	},
	{
		name: 'moves the file five times',
		times: Infinity,
		meets: isDownload,
		plan: () => ({ instead: () => movedTo('content?hops=4') }),
		ends: well,
		judge: withoutKey,
	},
	{
		name: 'moves the file for ever',
		times: Infinity,
		meets: isDownload,
		plan: () => ({ instead: () => movedTo('content?hops=ever') }),
		ends: () => ({ failure: 'moved', done: [0] }),
		judge: (requests) =>
			requests.length > 100 ? `it was followed ${requests.length} times` : withoutKey(requests),
	},
	{
		name: 'moves the file to something that is not on the web',
		times: Infinity,
		meets: isDownload,
		plan: () => ({ instead: () => movedTo('ftp://127.0.0.1/file') }),
		ends: () => ({ failure: 'redirected', done: [0] }),
	},
	{
		name: 'gives a relative address of the file as JSON',
		times: Infinity,
		meets: isDownload,
		plan: () => ({ instead: () => json(200, { url: 'content' }) }),
		ends: well,
		judge: withoutKey,
	},
	{
		name: 'cuts the file in the middle, once, and goes on from there',
		times: 1,
		meets: isDownload,
		// What has arrived just before the end of a connection is lost with it, so there is a pause.
		plan: () => ({ delivery: { piece: 10_000, pause: 1_500, cutAt: 20_000 } }),
		ends: well,
		judge: goesOn,
	},
	{
		name: 'cuts the file in the middle, once, and has another one then',
		times: 1,
		meets: isDownload,
		plan: () => ({
			delivery: { cutAt: 20_000 },
			change: (reply) => ({
				...reply,
				headers: { ...reply.headers, etag: '"another"' },
				body: Buffer.alloc(reply.body.length, 'x'),
			}),
		}),
		// What was given on before cannot be taken back.
		ends: () => ({ wellOr: 'changed', done: [0] }),
	},
	{
		name: 'cuts the file in the middle, once, and goes on from elsewhere',
		times: 1,
		meets: isDownload,
		plan: () => ({ delivery: { cutAt: 20_000 } }),
		then: {
			change: (reply, { headers }) =>
				headers.range
					? {
							...reply,
							status: 206,
							headers: { ...reply.headers, 'content-range': 'bytes 5-39999/40000' },
						}
					: reply,
		},
		ends: () => ({ wellOr: 'garbled', done: [0] }),
	},
	{
		name: 'does not know the checksum',
		times: Infinity,
		meets: isRecordOfFile,
		plan: () => ({
			change: (reply) => withFields(reply, (record) => delete record.checksum_sha256),
		}),
		ends: well,
	},
	{
		name: 'says that the file has another checksum',
		times: Infinity,
		meets: isRecordOfFile,
		plan: () => ({
			change: (reply) => withFields(reply, (record) => (record.checksum_sha256 = '0'.repeat(64))),
		}),
		ends: () => ({ failure: 'garbled', done: [0] }),
	},
	{
		name: 'names the file in raw UTF-8',
		times: Infinity,
		meets: isDownload,
		plan: () => ({
			change: (reply) => ({
				...reply,
				headers: {
					...reply.headers,
					'content-disposition': Buffer.from('attachment; filename="Prüfung.bin"').toString(
						'latin1',
					),
				},
			}),
		}),
		ends: well,
		gives: named((mark) => new RegExp(`^(Prüfung|held-${mark})\\.bin$`)),
	},
	{
		name: 'names the file without quotes',
		times: Infinity,
		meets: isDownload,
		plan: () => ({
			change: (reply) => ({
				...reply,
				headers: { ...reply.headers, 'content-disposition': 'attachment; filename=my file.bin' },
			}),
		}),
		ends: well,
		gives: named((mark) => new RegExp(`^(my file|held-${mark})\\.bin$`)),
	},
	{
		name: 'says that it stored another size than it got',
		times: Infinity,
		meets: ({ sendsFile }) => sendsFile,
		plan: () => ({ change: (reply) => withFields(reply, (record) => (record.size_bytes = 7)) }),
		ends: () => ({ failure: 'stored', done: [1] }),
	},
	{
		name: 'says that it stored another checksum than it got',
		times: Infinity,
		meets: ({ sendsFile }) => sendsFile,
		plan: () => ({
			change: (reply) => withFields(reply, (record) => (record.checksum_sha256 = '0'.repeat(64))),
		}),
		ends: () => ({ failure: 'stored', done: [1] }),
	},
];
