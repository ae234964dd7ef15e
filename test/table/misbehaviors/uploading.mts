import { SILENCE } from './misbehavior.mts';
import type { Ending, Misbehavior, Target } from './misbehavior.mts';
import { json, refusal, unavailable } from '../service/replies.mts';
import type { Plan, Seen } from '../service/server.mts';

/** The size of a file that no buffer of the system takes whole, in bytes. */
const LARGE = 8_000_000;

/** A request that the service has accepted is never sent again; of one that it cut off nothing may have been seen. */
const sentAtMost = (most: number) => (requests: Seen[]) => {
	const sent = requests.filter(({ call }) => call !== 'documents.list' && call !== 'files.get');
	return sent.length > most ? `${sent.length} uploads were sent, not ${most} at most` : undefined;
};

/** Servers that answer an upload before they have read it, or never read it. */
export const uploading: Misbehavior[] = (
	[
		['413', refusal(413, 'FILE_TOO_LARGE', 'The file is too large'), 'tooLarge'],
		['401', refusal(401, 'INVALID_API_KEY', 'Nobody has this key'), 'unauthorized'],
		['503', unavailable(), 'unavailable'],
	] as const
).flatMap(([status, reply, failure]) =>
	(['read on', 'close'] as const).map((then) => ({
		name: `answers ${status} before it has read the file, and ${then === 'close' ? 'closes' : 'reads on'}`,
		meets: ({ sendsFile }: Target) => sendsFile,
		plan: (): Plan => ({ early: { reply, then } }),
		ends: (): Ending => ({ failure, done: [0] }),
		costs: 'memory' as const,
		fileSize: LARGE,
	})),
);
/** The answer of a service that takes a file for stored before it has read it. */
const accepts = () =>
	json(201, { id: 'doc-early', file_name: 'sent-mark-1.bin', size_bytes: LARGE });

uploading.push(
	...(['read on', 'close'] as const).map(
		(then): Misbehavior => ({
			name: `answers 201 before it has read the file, and ${then === 'close' ? 'closes' : 'stops reading'}`,
			meets: ({ sendsFile, job }: Target) => sendsFile && job.variant !== 'from an address',
			plan: (): Plan => ({ early: { reply: accepts(), then } }),
			ends: () => ({ failure: 'broken', done: [0] }),
			judge: sentAtMost(2),
			costs: 'memory',
			fileSize: LARGE,
		}),
	),
	{
		name: 'begins to answer 201 before it has read the file, and does its work',
		meets: ({ sendsFile, job }) => sendsFile && job.variant !== 'from an address',
		plan: () => ({ early: { reply: accepts(), then: 'work' } }),
		judge: sentAtMost(1),
		costs: 'memory',
		fileSize: LARGE,
	},
	{
		name: 'stops reading the file',
		times: 1,
		costs: 'memory',
		meets: ({ sendsFile }) => sendsFile,
		plan: () => ({ deaf: true }),
		ends: () => ({ failure: 'silent', done: [0] }),
		options: { timeout: SILENCE },
		fileSize: 16_000_000,
	},
	{
		name: 'closes the connection in the middle of the file, once',
		times: 1,
		costs: 'memory',
		meets: ({ sendsFile }) => sendsFile,
		plan: () => ({ closeAt: 300_000 }),
		ends: () => ({ mayFail: 'broken', done: [0] }),
		fileSize: 8_000_000,
	},
	{
		name: 'reads the file for longer than the timeout',
		costs: 'memory',
		meets: ({ sendsFile }) => sendsFile,
		plan: () => ({ slowFor: SILENCE * 1_300 }),
		options: { timeout: SILENCE },
		fileSize: 16_000_000,
	},
);
