import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import type { Api } from '../../../api/client';
import type { EndpointName } from '../../../api/endpoints';
import { toText } from '../../../api/json';
import type { SeenAnswer } from '../../../api/send/exchange';
import type { Call } from '../../../api/send/requests';
import { Problem, takeProblem } from '../../../problems/problem';
import { addExchange, noteProblem } from './finding';
import type { Finding, RecordedCall } from './finding';
import type { GivenDialect } from './given';

/** How many requests a check sends at most. */
const MOST_REQUESTS = 40;

/** How many of them are kept back to find and remove what was made. */
const KEPT_BACK = 12;

/** How long the service may be silent, in ms. */
const TIMEOUT = 10_000;

const LIMIT_HEADER = /rate-?limit|retry-after|quota/;

const describeLimit = (headers: IDataObject) =>
	Object.entries(headers)
		.filter(([header]) => LIMIT_HEADER.test(header))
		.map(([header, value]) => `${header}: ${toText(value) ?? ''}`)
		.join(', ');

/** Sends the requests of a check: counts each, and makes a finding of every answer. */
export class Recorder {
	readonly findings: Finding[] = [];
	requests = 0;
	/** What came back first: it shows whether the service can be asked at all. */
	first?: RecordedCall;
	/** The headers about the rate limit, as the last answer has them. */
	limit = '';
	/** Whether more requests were needed than a check may send. */
	isStopped = false;
	private isEnding = false;

	constructor(
		private api: Api,
		readonly given: GivenDialect,
	) {}

	/**
	 * Does something, and makes a finding of what comes back. If this package cannot use a good answer, the finding says why.
	 *
	 * @throws Problem if the execution is cancelled
	 */
	async attempt(
		what: string,
		expected: string,
		work: (api: Api, finding: Finding) => Promise<unknown>,
	): Promise<void> {
		const finding: Finding = {
			what,
			expected,
			result: 'understood',
			exchanges: [],
			found: [],
			missing: [],
			unknown: [],
			problems: [],
		};
		await work(this.record(finding), finding)
			.catch((error: unknown) => {
				const problem = takeProblem(error);
				if (['understood', 'differs'].includes(finding.result)) noteProblem(finding, problem);
			})
			.finally(() => {
				if (finding.exchanges.length) this.findings.push(finding);
			});
	}

	/**
	 * The service as the operations of this package call it, except that each request is recorded.
	 *
	 * @param finding gets what comes back; without it, requests are only counted
	 */
	record(finding?: Finding, api = this.api): Api {
		const answer: Api['answer'] = async (name, call) =>
			await this.watch(finding, name, call, async (watched) => await api.answer(name, watched));
		return {
			...api,
			answer,
			call: async (name, call) => api.readRecord(name, await answer(name, call)),
			open: async (name, call, headers) =>
				await this.watch(
					finding,
					name,
					call,
					async (watched) => await api.open(name, watched, headers),
				),
			openAddress: async (address, headers) =>
				await api.openAddress({ ...address, onRequest: this.count }, headers),
			withoutSignal: () => this.record(finding, api.withoutSignal()),
		};
	}

	/** Allows the requests that were kept back, with retries, even if the execution is cancelled. */
	end(): void {
		this.isEnding = true;
		this.api = this.api.withoutSignal();
	}

	/** Counts a request before it is sent. Throws Problem if it may not be sent. */
	private readonly count = (): void => {
		const most = this.isEnding ? MOST_REQUESTS : MOST_REQUESTS - KEPT_BACK;
		this.isStopped ||= this.requests >= most;
		const reason = `a check sends at most ${MOST_REQUESTS} requests`;
		if (this.requests >= most) throw new Problem('UNEXPECTED', { reason });
		this.requests++;
	};

	/** Makes a call, and adds what comes back to a finding. */
	private async watch<T>(
		finding: Finding | undefined,
		name: EndpointName,
		call: Call = {},
		send: (call: Call) => Promise<T>,
	): Promise<T> {
		const watched: RecordedCall = { name };
		const onRequest = (request: IHttpRequestOptions) => {
			this.count();
			watched.request ??= request;
		};
		const onAnswer = (answer: SeenAnswer) => {
			watched.answer = answer;
			this.limit = describeLimit(answer.headers) || this.limit;
		};
		// Before the end, the report says what came back first; at the end, what was made has to go.
		const isSingle = !this.isEnding;
		return await send({ ...call, isSingle, timeout: TIMEOUT, onRequest, onAnswer })
			.catch((error: unknown) => {
				if (error instanceof Problem) watched.problem = error;
				throw error;
			})
			.finally(() => {
				this.first ??= watched;
				if (finding && watched.request)
					addExchange(finding, { api: this.api, given: this.given }, watched);
			});
	}
}
