import type { IDataObject } from 'n8n-workflow';
import type { Api, Probe } from '../../../api/client';
import { backoff, pause, wallClock } from '../../../api/clock';
import { endpoints } from '../../../api/endpoints';
import type { EndpointName } from '../../../api/endpoints';
import { parseJson } from '../../../api/json';
import { findVersionReader, nameVersion } from '../../../api/send/requests';
import { readBytes } from '../../../api/send/exchange';
import { isProblem } from '../../../problems/problem';
import type { Problem } from '../../../problems/problem';

/** What the service answered to one request. */
export interface Seen {
	/** 0 if the service closed the connection or said nothing. */
	status: number;
	/** Why there is no answer. */
	problem?: Problem;
	/** Names in lower case. */
	headers: IDataObject;
	/** Parsed JSON; `undefined` if it is none. */
	body: unknown;
	bytes: Buffer;
}

/** Gives nothing if the request is not sent. */
export type Ask = (name: EndpointName, call?: Probe) => Promise<Seen | undefined>;

/** How many requests a check sends at most. */
const MOST_REQUESTS = 40;

/** How many requests are kept back, to delete what was made and to find it before. */
const KEPT_BACK = 14;

/** How often a request is sent again that met the rate limit or, if that does no harm, a failure. */
const MOST_REPEATS = 2;

const isFailure = ({ status }: Seen) => status === 0 || status >= 500;

export const isGood = (seen: Seen | undefined): seen is Seen & { isGood: true } =>
	seen !== undefined && seen.status > 0 && seen.status < 300;

/** Whether the service refused what it was asked, and would not if it were asked something else. */
export const isRefused = (seen: Seen | undefined): seen is Seen & { isRefused: true } =>
	seen !== undefined && seen.status >= 400 && seen.status < 500 && seen.status !== 429;

/** Sends the requests of a check, and counts every one, whatever the service answers. */
export class Asker {
	spent = 0;
	private readonly failed = new Set<EndpointName>();
	private isLimited = false;

	constructor(private readonly api: Api) {}

	/** Sends nothing if the service has failed at this before, if it answers nothing but 429, or if too few requests are left. */
	ask: Ask = async (name, call = {}) => {
		if (this.failed.has(name)) return undefined;
		const seen = await this.send(this.api, name, call, MOST_REQUESTS - KEPT_BACK);
		if (seen && isFailure(seen)) this.failed.add(name);
		return seen;
	};

	/** Asks with the requests that were kept back, also if the execution is cancelled. */
	tidyUp: Ask = async (name, call = {}) => {
		this.isLimited = false;
		return await this.send(this.api.withoutSignal(), name, call, MOST_REQUESTS);
	};

	/** The bytes at an address that the service gave for a file, without the key. */
	async open(url: string): Promise<Buffer | undefined> {
		if (this.spent >= MOST_REQUESTS - KEPT_BACK) return undefined;
		this.spent++;
		return await this.api
			.openAddress({ url, access: 'signed' })
			.then(async (exchange) => await readBytes(exchange.pieces(), new URL(url).host))
			.catch(() => undefined);
	}

	private async send(via: Api, name: EndpointName, call: Probe, most: number) {
		const mayRepeat = endpoints[name].method !== 'POST';
		let seen: Seen | undefined;
		for (let repeats = 0; repeats <= MOST_REPEATS; repeats++) {
			if (this.spent >= most || this.isLimited) return seen;
			if (repeats) await pause(wallClock, backoff(repeats), via.signal);
			seen = await this.sendOnce(via, name, call);
			const reader =
				this.spent + 2 <= MOST_REQUESTS ? findVersionReader(name, seen.status) : undefined;
			const version =
				reader && nameVersion((await this.sendOnce(via, reader, { id: call.id })).headers);
			if (version) seen = await this.sendOnce(via, name, { ...call, headers: version });
			if (seen.status !== 429 && !(mayRepeat && isFailure(seen))) return seen;
		}
		this.isLimited ||= seen?.status === 429;
		return seen;
	}

	private async sendOnce(via: Api, name: EndpointName, call: Probe): Promise<Seen> {
		this.spent++;
		let problem: Problem | undefined;
		const answer = await via.probe(name, call).catch((error: unknown) => {
			if (!isProblem(error) || isProblem(error, 'CANCELLED')) throw error;
			problem = error;
			return { statusCode: 0, headers: {}, body: Buffer.alloc(0) };
		});
		this.isLimited = isProblem(problem, 'RATE_LIMIT_WAIT_TOO_LONG');
		const { statusCode: status, headers, body: bytes } = answer;
		return { status, problem, headers, body: parseJson(bytes.toString('utf8')), bytes };
	}
}
