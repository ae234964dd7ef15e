import { well } from './misbehaviour';
import type { Ending, Misbehaviour, Target } from './misbehaviour';
import { refusal, unavailable } from '../service/replies';
import type { Plan } from '../service/server';

/** Servers that answer an upload before they have read it, or never read it. */
export const uploading: Misbehaviour[] = (
	[
		['413', refusal(413, 'FILE_TOO_LARGE', 'The file is too large'), 'tooLarge'],
		['401', refusal(401, 'INVALID_API_KEY', 'Nobody has this key'), 'unauthorized'],
		['503', unavailable(), 'unavailable'],
	] as const
).flatMap(([status, reply, told]) =>
	(['read on', 'close'] as const).map((then) => ({
		name: `answers ${status} before it has read the file, and ${then === 'close' ? 'closes' : 'reads on'}`,
		times: Infinity,
		meets: ({ sendsFile }: Target) => sendsFile,
		plan: (): Plan => ({ early: { reply, then } }),
		ends: (): Ending => ({ told, done: [0] }),
		costs: 'memory' as const,
		fileSize: 8_000_000,
	})),
);
uploading.push(
	{
		name: 'stops reading the file',
		times: 1,
		costs: 'memory',
		meets: ({ sendsFile }) => sendsFile,
		plan: () => ({ deaf: true }),
		ends: () => ({ told: 'silent', done: [0] }),
		fileSize: 16_000_000,
	},
	{
		name: 'closes the connection in the middle of the file, once',
		times: 1,
		costs: 'memory',
		meets: ({ sendsFile }) => sendsFile,
		plan: () => ({ closeAt: 300_000 }),
		ends: () => ({ wellOr: 'broken', done: [0] }),
		fileSize: 8_000_000,
	},
	{
		name: 'reads the file for longer than the timeout',
		times: Infinity,
		costs: 'memory',
		meets: ({ sendsFile }) => sendsFile,
		plan: () => ({ slow: 25 }),
		ends: well,
		fileSize: 16_000_000,
	},
);
