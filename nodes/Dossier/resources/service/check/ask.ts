import type { IDataObject } from 'n8n-workflow';
import type { Api, Probe } from '../../../api/client';
import { backoff, pause, wallClock } from '../../../api/clock';
import { endpoints } from '../../../api/endpoints';
import type { EndpointName } from '../../../api/endpoints';
import { parseJson } from '../../../api/json';
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

/** How many requests a check sends at most. */
const MOST_REQUESTS = 40;

/** How many requests are kept back, beside one for each record, for deletions that fail and records that have to be found. */
const KEPT_BACK = 5;

/** How often a request is sent again that met the rate limit or, if that does no harm, a failure. */
const MOST_REPEATS = 2;

const isCreation = (name: EndpointName) => endpoints[name].method === 'POST';
const isFailure = ({ status }: Seen) => status === 0 || status >= 500;

export const isGood = (seen: Seen | undefined): seen is Seen & { isGood: true } =>
	seen !== undefined && seen.status > 0 && seen.status < 300;

/** Whether the service refused what it was asked, and would not if it were asked something else. */
export const isRefused = (seen: Seen | undefined): seen is Seen & { isRefused: true } =>
	seen !== undefined && seen.status >= 400 && seen.status < 500 && seen.status !== 429;

/** Sends the requests of a check, and counts every one, whatever the service answers. */
export class Asker {
	spent = 0;
	/** The headers of all answers together. */
	readonly headers: IDataObject = {};
	/** The creations that may have been done. */
	private readonly creations: EndpointName[] = [];
	private readonly failed = new Set<EndpointName>();
	private isLimited = false;

	constructor(private readonly api: Api) {}

	/** How many records a creation may have made. */
	count = (creation: EndpointName) => this.creations.filter((one) => one === creation).length;

	/**
	 * @returns `undefined` if only the requests that tidying up may need are left, if the service has failed at this before, or
	 * if it answers nothing but 429
	 */
	async ask(name: EndpointName, call: Probe = {}): Promise<Seen | undefined> {
		if (this.failed.has(name)) return undefined;
		const seen = await this.send(this.api, name, call, () => this.mayGoOn(isCreation(name)));
		if (seen?.status === 429) this.isLimited = true;
		if (seen && isFailure(seen)) this.failed.add(name);
		return seen;
	}

	/** The bytes at an address that the service gave for a file, without the key. */
	async open(url: string): Promise<Buffer | undefined> {
		if (!this.mayGoOn(false)) return undefined;
		this.spent++;
		return await this.api
			.openAddress({ url, access: 'signed' })
			.then(async (exchange) => await readBytes(exchange.pieces(), new URL(url).host))
			.catch(() => undefined);
	}

	/** Asks with the requests that were kept back, also if the execution is cancelled. */
	async tidyUp(name: EndpointName, call: Probe): Promise<Seen | undefined> {
		this.isLimited = false;
		return await this.send(this.api.withoutSignal(), name, call, () => this.spent < MOST_REQUESTS);
	}

	private mayGoOn(isMaking: boolean): boolean {
		const made = this.creations.length + (isMaking ? 1 : 0);
		return this.spent + (made && made + KEPT_BACK) < MOST_REQUESTS;
	}

	private async send(via: Api, name: EndpointName, call: Probe, mayGoOn: () => boolean) {
		let seen: Seen | undefined;
		for (let repeats = 0; repeats <= MOST_REPEATS && mayGoOn() && !this.isLimited; repeats++) {
			if (repeats) await pause(wallClock, backoff(repeats), via.signal);
			seen = await this.sendOnce(via, name, call);
			if (seen.status !== 429 && (isCreation(name) || !isFailure(seen))) break;
		}
		return seen;
	}

	private async sendOnce(via: Api, name: EndpointName, call: Probe): Promise<Seen> {
		this.spent++;
		let problem: Problem | undefined;
		const answer = await via.probe(name, call).catch((error: unknown) => {
			if (!isProblem(error)) throw error;
			problem = error;
			return { statusCode: 0, headers: {}, body: Buffer.alloc(0) };
		});
		const { statusCode: status, headers, body: bytes } = answer;
		const seen = { status, problem, headers, body: parseJson(bytes.toString('utf8')), bytes };
		if (isCreation(name) && (isFailure(seen) || status < 400)) this.creations.push(name);
		if (isProblem(problem, 'CANCELLED')) throw problem;
		this.isLimited = isProblem(problem, 'RATE_LIMIT_WAIT_TOO_LONG');
		Object.assign(this.headers, headers);
		return seen;
	}
}
