import type { IHttpRequestOptions } from 'n8n-workflow';
import type { Api, Probed } from '../../../api/client';
import { backoff, pause, wallClock } from '../../../api/clock';
import { endpoints } from '../../../api/endpoints';
import type { EndpointName } from '../../../api/endpoints';
import type { Call } from '../../../api/send/requests';
import { isProblem, Problem } from '../../../problems/problem';
import { addExchange } from './finding';
import type { Finding } from './finding';
import type { GivenDialect } from './given';

/** How many requests a check sends at most. */
const MOST_REQUESTS = 40;

/** How many of them are kept back to find and remove what was made. */
const KEPT_BACK = 12;

/** How often a request is sent again, and how often at the end. */
const MOST_REPEATS = { before: 2, atEnd: 5 };

/** Counts every request of a check, and makes a finding of every answer. */
export class Recorder {
	requests = 0;
	/** What came back first: it shows whether the service can be asked at all. */
	first?: Probed;
	/** The headers about the rate limit, as the last answer has them. */
	limit = '';
	/** Why the rest was not looked at; empty if everything was. */
	stopped = '';
	private isEnding = false;

	constructor(
		private api: Api,
		private readonly given: GivenDialect,
	) {}

	/**
	 * The service as the operations of this package call it, except that each request is recorded.
	 *
	 * @param finding gets what comes back; without it, requests are only counted
	 */
	record(finding?: Finding, api = this.api): Api {
		const answer: Api['answer'] = async (name, call = {}) => {
			const { answer: answered, problem } = await this.ask(api, finding, name, call);
			if (!answered) throw problem ?? new Problem('UNEXPECTED', { reason: 'no answer' });
			return answered;
		};
		const { count } = this;
		return {
			...api,
			answer,
			call: async (name, call) => api.readRecord(name, await answer(name, call)),
			open: async (name, call, headers) => {
				const any = { ...call, headers: { Accept: '*/*', ...headers } };
				const { status, problem } = await this.ask(api, finding, name, any);
				if (problem && (status === 0 || status >= 400)) throw problem;
				return await api.open(name, { ...call, onRequest: count }, headers);
			},
			openAddress: async (address, headers) =>
				await api.openAddress({ ...address, onRequest: count }, headers),
			withoutSignal: () => this.record(finding, api.withoutSignal()),
		};
	}

	/** Allows the requests that were kept back, even if the execution is cancelled. */
	end(): void {
		this.isEnding = true;
		this.api = this.api.withoutSignal();
	}

	/** Whether no more requests may be sent. */
	private get isSpent(): boolean {
		return this.requests >= (this.isEnding ? MOST_REQUESTS : MOST_REQUESTS - KEPT_BACK);
	}

	/** Counts a request before it is sent. Throws Problem if it may not be sent. */
	private readonly count = (): void => {
		if (this.isSpent) this.stopped ||= `a check sends at most ${MOST_REQUESTS} requests`;
		if (this.isSpent || (this.stopped && !this.isEnding))
			throw new Problem('UNEXPECTED', { reason: this.stopped });
		this.requests++;
	};

	/** Sends a request, and again if the rate limit refuses it or, unless it makes something, if the service fails. */
	private async ask(
		api: Api,
		finding: Finding | undefined,
		name: EndpointName,
		call: Call,
	): Promise<Probed> {
		const requests: IHttpRequestOptions[] = [];
		const onRequest = (request: IHttpRequestOptions) => {
			this.count();
			requests.push(request);
		};
		const isRepeatable = endpoints[name].method !== 'POST';
		const mostRepeats = this.isEnding ? MOST_REPEATS.atEnd : MOST_REPEATS.before;
		for (let repeats = 0; ; ) {
			const seen = await api.probe(name, { ...call, onRequest });
			this.first ??= seen;
			const { problem } = seen;
			const isOverLimit = isProblem(problem, 'RATE_LIMIT_WAIT_TOO_LONG');
			const hasFailed = isRepeatable && (seen.status === 0 || seen.status >= 500);
			const mayHelp = seen.status === 429 || (hasFailed && !isOverLimit);
			if (mayHelp && !this.isSpent && repeats++ < mostRepeats) {
				await pause(wallClock, backoff(repeats), api.signal);
				continue;
			}
			if (isOverLimit || seen.status === 429) this.stopped ||= 'the rate limit is used up';
			if (problem && !requests.length) throw problem;
			this.limit = this.given.describeLimit(seen.headers) || this.limit;
			const asked = { api, given: this.given, name, request: requests[0] };
			if (finding) addExchange(finding, asked, seen);
			return seen;
		}
	}
}
