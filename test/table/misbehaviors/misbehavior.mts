/** A misbehavior: which calls it can strike, and how they must end. */
import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';
import type { Job } from '../jobs/job.mts';
import { findMethod } from '../service/routes.mts';
import type { Plan, Seen } from '../service/server.mts';

/** A call of a job that a misbehavior can meet. */
export interface Target {
	job: Job;
	call: string;
	method: string;
	/** What a good answer to it holds. */
	answer: 'record' | 'list' | 'file' | 'deletion';
	/** Whether the call carries a file to the service. */
	sendsFile: boolean;
}

/** The codes that the error of a failed item may have. */
export const FAILURES = {
	broken: /^(ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE|ERR_BAD_RESPONSE)$/,
	silent: /^(ETIMEDOUT|ECONNABORTED)$/,
	/** An answer that ends before its announced end, or after it: what is noticed first depends on the moment. */
	garbled:
		/^(ECONNRESET|ERR_STREAM_PREMATURE_CLOSE|ERR_BAD_RESPONSE|NOT_THE_SERVICE|DOWNLOAD_MISMATCH|HPE_INVALID_CONSTANT|HPE_CLOSED_CONNECTION|HPE_HEADER_OVERFLOW|ETIMEDOUT|ECONNABORTED)$/,
	notTheService: /^NOT_THE_SERVICE$/,
	notContinued: /^LIST_NOT_CONTINUED$/,
	endless: /^LIST_ENDLESS$/,
	redirected: /^REDIRECTED$/,
	refused: /^(RATE_LIMIT_WAIT_TOO_LONG|RATE_LIMIT_EXCEEDED)$/,
	unavailable: /^(SERVICE_UNAVAILABLE|HTTP_503|FILE_URL_FAILED)$/,
	failed: /^(INTERNAL_ERROR|HTTP_500|FILE_URL_FAILED)$/,
	moved: /^(ERR_FR_TOO_MANY_REDIRECTS|REDIRECTED)$/,
	stored: /^UPLOAD_MISMATCH$/,
	changed: /^FILE_CHANGED$/,
	uncompared: /^NOTHING_TO_COMPARE$/,
	notFound: /^(HTTP_404|NOT_THE_SERVICE)$/,
	refusedWithGoodStatus: /^(CONFLICT|NOT_THE_SERVICE|DOWNLOAD_MISMATCH)$/,
	tooLarge: /^FILE_TOO_LARGE$/,
	unauthorized: /^INVALID_API_KEY$/,
} as const;

type Failure = keyof typeof FAILURES;

/** The time-out, in seconds, of rows whose service is silent: long enough that a busy machine is not taken for a silent service. */
export const SILENCE = 9;

/** How the struck item ends. `done` lists how often the service may have carried its work out if it fails. */
export type Ending =
	| 'well'
	| { failure: Failure; done: number[] }
	| { mayFail: Failure; done: number[] };

export interface Misbehavior {
	name: string;
	/** How many requests meet it; all if it is not given. */
	times?: number;
	/** Rows that wait for the service cost time; rows with large files cost memory, and often time too. */
	costs?: 'time' | 'memory';
	meets?: (target: Target) => boolean;
	plan: (target: Target) => Plan;
	/** The plan for the requests after those. */
	then?: Plan;
	/** Without it, the struck item succeeds. */
	ends?: (target: Target) => Ending;
	/** Whether the other items may end like the struck one, because they share what it struck. */
	spreads?: boolean;
	/** Whether it can strike only a host that sends several requests over one connection. */
	needsKeptConnections?: boolean;
	/** The size of the file that the struck item sends, in bytes. */
	fileSize?: number;
	credential?: ICredentialDataDecryptedObject;
	options?: INodeParameters;
	/** The output of the struck item, if it differs from the usual output of the job. */
	gives?: Job['gives'];
	/** Says in a sentence what is wrong with the requests of the struck item. */
	judge?: (requests: Seen[]) => string | undefined;
}

export function listTargets(job: Job): Target[] {
	return job.calls.map((call) => {
		const method = findMethod(call);
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

export const repeats = ({ method }: Target) => ['GET', 'PUT', 'DELETE'].includes(method);

/** Whether the node looks for the result of a call whose answer is lost. */
const isFound = ({ job, method }: Target, done: number) =>
	job.looks === true && method === 'POST' && done > 0;

/** After a failure that ends, a call that may be repeated succeeds, an upload that was stored is found, and any other call fails. */
export const failTransiently =
	(failure: Failure, done: number) =>
	(target: Target): Ending =>
		repeats(target) || isFound(target, done) ? 'well' : { failure, done: [done] };

/** While the failure lasts, every attempt fails. A read changes nothing, and the calls after it are not made. */
export const failPermanently =
	(failure: Failure, done: number) =>
	(target: Target): Ending => {
		if (isFound(target, done)) return { mayFail: failure, done: [done] };
		return { failure, done: [target.method === 'GET' ? 0 : done] };
	};

/** Every answer is garbled. A deletion succeeds all the same: its repetition is answered with 404, and the status is enough. */
export const garbleAnswers =
	(failure: Failure, done: number) =>
	(target: Target): Ending =>
		target.method === 'DELETE' ? 'well' : failPermanently(failure, done)(target);

/** One operation against one misbehavior. */
export interface Row {
	name: string;
	target: Target;
	misbehavior: Misbehavior;
	/** Whether the node goes on after an error. */
	continues: boolean;
}

/** How the struck item of a row ends. */
export const findEnding = ({ target, misbehavior }: Pick<Row, 'target' | 'misbehavior'>): Ending =>
	misbehavior.ends?.(target) ?? 'well';
