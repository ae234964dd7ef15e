import {
	garbleAnswers,
	failPermanently,
	failTransiently,
	repeats,
	SILENCE,
} from './misbehavior.mts';
import type { Misbehavior } from './misbehavior.mts';
import type { Plan } from '../service/server.mts';

/** Answers that break off, and connections that close. */
export const broken: Misbehavior[] = [
	{
		name: 'cuts the answer after 7 bytes, once',
		times: 1,
		plan: () => ({ delivery: { cutAt: 7 } }),
		ends: failTransiently('broken', 1),
	},
	{
		name: 'cuts the answer 1 byte before its end, once',
		times: 1,
		plan: () => ({ delivery: { cutAt: -1 } }),
		ends: failTransiently('broken', 1),
	},
	{
		name: 'cuts an answer without a length, once',
		times: 1,
		plan: () => ({ delivery: { cutAt: 9, chunked: true } }),
		ends: failTransiently('broken', 1),
	},
	{
		name: 'cuts every answer in the middle',
		plan: () => ({ delivery: { cutAt: 12 } }),
		ends: garbleAnswers('broken', 1),
	},
	{
		name: 'closes the connection instead of an answer, once',
		times: 1,
		plan: () => ({ closeAt: 0 }),
		// A file that had not been sent whole is sent again.
		ends: (target) =>
			target.sendsFile ? { mayFail: 'broken', done: [0] } : failTransiently('broken', 0)(target),
	},
	{
		name: 'closes a kept connection when it is used again',
		needsKeptConnections: true,
		meets: ({ job }) => !job.single,
		plan: () => ({ closeReused: true }),
		ends: (target) => (repeats(target) ? 'well' : { mayFail: 'broken', done: [0] }),
	},
	{
		name: 'announces 10 bytes more than it sends, and closes',
		plan: () => ({ delivery: { lengthOff: 10, cutAt: Infinity } }),
		// The size and the SHA-256 of a document show that all of its file has come.
		ends: (target) =>
			target.call === 'documents.download' ? 'well' : garbleAnswers('broken', 1)(target),
	},
	{
		name: 'announces 5 bytes less than it sends',
		// Of these files nothing else says how long they are.
		meets: ({ answer, call }) => answer !== 'file' || call === 'documents.download',
		plan: () => ({ delivery: { lengthOff: -5 } }),
		ends: failPermanently('garbled', 1),
	},
	{
		name: 'does not speak HTTP',
		plan: () => ({ babble: 'SSH-2.0-OpenSSH_9.6\r\n' }),
		ends: failPermanently('garbled', 0),
	},
	{
		name: 'sends headers of 100 kB',
		plan: () => ({ delivery: { headers: { 'x-padding': 'x'.repeat(100_000) } } }),
		ends: failPermanently('garbled', 1),
	},
];

/** Services that say nothing, for longer than Timeout. */
export const silent: Misbehavior[] = (
	[
		['before headers', 'before the headers'],
		['after headers', 'after the headers'],
		['in the body', 'in the middle of the body'],
	] as const
).flatMap(([moment, name]) => [
	{
		name: `is silent ${name}, once`,
		times: 1,
		costs: 'time',
		plan: (): Plan => ({ delivery: { silent: moment } }),
		ends: failTransiently('silent', 1),
		options: { timeout: SILENCE },
	},
	{
		name: `is always silent ${name}`,
		costs: 'time',
		plan: (): Plan => ({ delivery: { silent: moment } }),
		ends: moment === 'before headers' ? failPermanently('silent', 1) : garbleAnswers('silent', 1),
		options: { timeout: SILENCE },
	},
]);
