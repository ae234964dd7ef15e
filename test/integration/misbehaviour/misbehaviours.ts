/** The table of misbehaviours: what each is, which calls it can meet, and what must come of it. */
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { json, refusal } from './holdings';
import type { Job } from './jobs';
import { methodOf } from './routes';
import type { Plan } from './server';

/** A call of a job that a misbehaviour can meet. */
export interface Target {
	job: Job;
	call: string;
	method: string;
	/** What a good answer to it holds. */
	answer: 'record' | 'list' | 'file' | 'deletion';
	/** Whether the call carries a file to the service. */
	sendsFile: boolean;
}

/** What an item must say that fails: by the code of its error, or by its status. */
export const TOLD = {
	broken: /^(ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE|ERR_BAD_RESPONSE)$/,
	silent: /^(ETIMEDOUT|ECONNABORTED)$/,
	/** An answer that ends before its announced end, or after it: what is noticed first depends on the moment. */
	garbled:
		/^(ECONNRESET|ERR_STREAM_PREMATURE_CLOSE|ERR_BAD_RESPONSE|NOT_THE_SERVICE|DOWNLOAD_MISMATCH|HPE_INVALID_CONSTANT|HPE_CLOSED_CONNECTION|ETIMEDOUT|ECONNABORTED)$/,
	notTheService: /^NOT_THE_SERVICE$/,
	redirected: /^REDIRECTED$/,
	refused: /^(RATE_LIMIT_WAIT_TOO_LONG|RATE_LIMIT_EXCEEDED)$/,
	unavailable: /^(SERVICE_UNAVAILABLE|HTTP_503|FILE_URL_FAILED)$/,
	failed: /^(INTERNAL_ERROR|HTTP_500|FILE_URL_FAILED)$/,
	tooLarge: /^FILE_TOO_LARGE$/,
	unauthorized: /^INVALID_API_KEY$/,
} as const;

export type Told = keyof typeof TOLD;

/** How the struck item ends. Done says how often its work may have been carried out if it fails. */
export type Ending = 'well' | { told: Told; done: number[] } | { wellOr: Told; done: number[] };

export interface Misbehaviour {
	name: string;
	/** How many requests meet it. */
	times: number;
	/** What its rows cost beside a moment: a wait for the service, or large files and often a wait. */
	costs?: 'time' | 'memory';
	meets?: (target: Target) => boolean;
	plan: (target: Target) => Plan;
	ends: (target: Target) => Ending;
	/** The size of the files that are sent, in bytes. */
	fileSize?: number;
	credential?: ICredentialDataDecryptedObject;
}

export function targetsOf(job: Job): Target[] {
	return job.calls.map((call) => {
		const method = methodOf(call);
		const file =
			call === 'documents.download' || call === 'files.get' || job.variant === 'as a file';
		return {
			job,
			call,
			method,
			answer: file
				? 'file'
				: call.endsWith('.list')
					? 'list'
					: method === 'DELETE'
						? 'deletion'
						: 'record',
			sendsFile: job.file === 'in' && method === 'POST',
		};
	});
}

const repeats = ({ method }: Target) => ['GET', 'PUT', 'DELETE'].includes(method);

/** A failure that passes: what may be repeated works in the end, and the rest is told. */
const passing =
	(told: Told, done: number) =>
	(target: Target): Ending =>
		repeats(target) ? 'well' : { told, done: [done] };

/** A failure that stays. Reading does nothing, and what comes after it is not begun. */
const lasting =
	(told: Told, done: number) =>
	({ method }: Target): Ending => ({ told, done: [method === 'GET' ? 0 : done] });

const well = (): Ending => 'well';

const PAGE = '<!doctype html><html><title>Sign in</title><p>Please sign in to go on.</p></html>';
const page = (status: number) => ({
	status,
	headers: { 'content-type': 'text/html; charset=utf-8' },
	body: Buffer.from(PAGE),
});
const unavailable = (headers: Record<string, string> = {}) => {
	const reply = refusal(503, 'SERVICE_UNAVAILABLE', 'Back soon');
	return { ...reply, headers: { ...reply.headers, ...headers } };
};
const tooMany = (headers: Record<string, string>) => {
	const reply = refusal(429, 'RATE_LIMIT_EXCEEDED', 'Too many requests');
	return { ...reply, headers: { ...reply.headers, ...headers } };
};

/** Answers that are whole but travel in an unusual way. */
const transport: Misbehaviour[] = [
	{
		name: 'compresses with gzip',
		times: Infinity,
		plan: () => ({ delivery: { coding: 'gzip' } }),
		ends: well,
	},
	{
		name: 'compresses with brotli',
		times: Infinity,
		plan: () => ({ delivery: { coding: 'br' } }),
		ends: well,
	},
	{
		name: 'compresses without a length',
		times: Infinity,
		plan: () => ({ delivery: { coding: 'gzip', chunked: true } }),
		ends: well,
	},
	{
		name: 'sends pieces of 1 byte',
		times: Infinity,
		plan: () => ({ delivery: { piece: 1, pieces: 300 } }),
		ends: well,
	},
	{
		name: 'sends pieces of 16 kB without a length',
		times: Infinity,
		plan: () => ({ delivery: { piece: 16_384, chunked: true } }),
		ends: well,
	},
	{
		name: 'drips for longer than the timeout',
		times: Infinity,
		costs: 'time',
		plan: () => ({ delivery: { piece: 3, pieces: 6, pause: 500 } }),
		ends: well,
	},
];

/** Answers that break off, and connections that close. */
const broken: Misbehaviour[] = [
	{
		name: 'cuts the answer after 7 bytes, once',
		times: 1,
		plan: () => ({ delivery: { cutAt: 7 } }),
		ends: passing('broken', 1),
	},
	{
		name: 'cuts the answer 1 byte before its end, once',
		times: 1,
		plan: () => ({ delivery: { cutAt: -1 } }),
		ends: passing('broken', 1),
	},
	{
		name: 'cuts an answer without a length, once',
		times: 1,
		plan: () => ({ delivery: { cutAt: 9, chunked: true } }),
		ends: passing('broken', 1),
	},
	{
		name: 'cuts every answer in the middle',
		times: Infinity,
		plan: () => ({ delivery: { cutAt: 12 } }),
		ends: lasting('broken', 1),
	},
	{
		name: 'closes the connection instead of an answer, once',
		times: 1,
		plan: () => ({ closeAt: 0 }),
		ends: passing('broken', 0),
	},
	{
		name: 'announces 10 bytes more than it sends, and closes',
		times: Infinity,
		plan: () => ({ delivery: { lengthOff: 10, cutAt: Infinity } }),
		ends: lasting('broken', 1),
	},
	{
		name: 'announces 5 bytes less than it sends',
		times: Infinity,
		// Of these files nothing else says how long they are.
		meets: ({ answer, call }) => answer !== 'file' || call === 'documents.download',
		plan: () => ({ delivery: { lengthOff: -5 } }),
		ends: lasting('garbled', 1),
	},
];

/** Services that say nothing, for longer than Timeout. */
const silent: Misbehaviour[] = (
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
		ends: passing('silent', 1),
	},
	{
		name: `is always silent ${name}`,
		times: Infinity,
		costs: 'time',
		plan: (): Plan => ({ delivery: { silent: moment } }),
		ends: lasting('silent', 1),
	},
]);

const ABSURD = ['9999999999999', '604800', '-5', 'soon', '1e9', 'Thu, 01 Jan 1970 00:00:00 GMT'];

/** Refusals, outages, and headers about limits that nobody can take at their word. */
const refusals: Misbehaviour[] = [
	{
		name: 'answers 429 without Retry-After, once',
		times: 1,
		plan: () => ({ instead: () => tooMany({}) }),
		ends: well,
	},
	...ABSURD.map((value) => ({
		name: `answers 429 with Retry-After: ${value}, once`,
		times: 1,
		plan: (): Plan => ({ instead: () => tooMany({ 'retry-after': value }) }),
		ends: (): Ending => ({ wellOr: 'refused', done: [0] }),
	})),
	{
		name: 'answers 503, once',
		times: 1,
		plan: () => ({ instead: () => unavailable({ 'retry-after': '0' }) }),
		ends: passing('unavailable', 0),
	},
	{
		name: 'answers 503 with an absurd Retry-After, once',
		times: 1,
		plan: () => ({ instead: () => unavailable({ 'retry-after': '9999999999999' }) }),
		ends: (target) =>
			repeats(target) ? { wellOr: 'unavailable', done: [0] } : { told: 'unavailable', done: [0] },
	},
	{
		name: 'always answers 503',
		times: Infinity,
		plan: () => ({ instead: () => unavailable() }),
		ends: lasting('unavailable', 0),
	},
	{
		name: 'always answers 500 with a web page',
		times: Infinity,
		plan: () => ({ instead: () => page(500) }),
		ends: lasting('failed', 0),
	},
	...[
		['in milliseconds', () => ({ 'x-ratelimit-reset': String(Date.now() + 1_000) })] as const,
		['as seconds from now', () => ({ 'x-ratelimit-reset': '1' })] as const,
		['as text', () => ({ 'x-ratelimit-reset': 'in a moment' })] as const,
	].map(([unit, headers]) => ({
		name: `says that nothing remains, and gives the reset ${unit}`,
		times: 1,
		costs: 'time',
		meets: ({ job }: Target) => job.as === undefined && !job.operation.startsWith('portalSignIn'),
		plan: (): Plan => ({
			change: (reply) => ({
				...reply,
				headers: { ...reply.headers, 'x-ratelimit-remaining': '0', ...headers() },
			}),
		}),
		ends: well,
		credential: { rateLimit: 'enterprise' },
	})),
];

/** Answers that are not what was asked for. */
const content: Misbehaviour[] = [
	{
		name: 'answers every call with a web page and 200',
		times: Infinity,
		plan: () => ({ instead: () => page(200) }),
		ends: ({ answer }) => ({ told: answer === 'file' ? 'garbled' : 'notTheService', done: [0] }),
		meets: ({ call }) => call !== 'files.get',
	},
	{
		name: 'answers reading with an empty 200',
		times: Infinity,
		meets: ({ method, call }) => method === 'GET' && call !== 'files.get',
		plan: () => ({
			instead: () => ({
				status: 200,
				headers: { 'content-type': 'application/json' },
				body: Buffer.alloc(0),
			}),
		}),
		ends: () => ({ told: 'garbled', done: [0] }),
	},
	{
		name: 'answers with 204 and nothing',
		times: Infinity,
		meets: ({ method }) => method === 'DELETE',
		plan: () => ({ change: () => ({ status: 204, headers: {}, body: Buffer.alloc(0) }) }),
		ends: well,
	},
	{
		name: 'puts the record into an envelope that nobody knows',
		times: Infinity,
		meets: ({ answer, call }) =>
			answer === 'record' && call.endsWith('.get') && call !== 'health.get',
		plan: () => ({
			change: (reply) =>
				json(200, { outcome: { found: JSON.parse(reply.body.toString()) as unknown } }),
		}),
		ends: () => ({ wellOr: 'notTheService', done: [0] }),
	},
	{
		name: 'puts another list before the records',
		times: Infinity,
		meets: ({ answer }) => answer === 'list',
		plan: () => ({
			change: (reply) => {
				const { data, pagination } = JSON.parse(reply.body.toString()) as Record<string, unknown>;
				return json(200, { warnings: [], records: data, pagination });
			},
		}),
		ends: well,
	},
	{
		name: 'redirects the call to another address',
		times: Infinity,
		meets: ({ answer }) => answer !== 'file',
		plan: () => ({
			instead: (_, host) => ({
				status: 307,
				headers: { location: `http://${host.replace('127.0.0.1', 'localhost')}/v1/elsewhere` },
				body: Buffer.alloc(0),
			}),
		}),
		ends: lasting('redirected', 0),
	},
];

/** Servers that answer an upload before they have read it, or never read it. */
const uploading: Misbehaviour[] = (
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
		plan: () => ({ slow: 12 }),
		ends: well,
		fileSize: 16_000_000,
	},
);

export const misbehaviours: Misbehaviour[] = [
	...transport,
	...broken,
	...silent,
	...refusals,
	...content,
	...uploading,
];
