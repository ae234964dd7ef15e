import type { IDataObject } from 'n8n-workflow';
import type { Api, Probe } from '../../../api/client';
import { backoff, pause, wallClock } from '../../../api/clock';
import { endpoints } from '../../../api/endpoints';
import type { EndpointName } from '../../../api/endpoints';
import { parseJson } from '../../../api/json';
import { readBytes } from '../../../api/send/exchange';
import type { FileSource } from '../../../api/transfer/body';
import { bringFile } from '../../../api/transfer/separate';
import { isObject } from '../../../dialect/paths';
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
	isGood: boolean;
	/** Whether the service refused what it was asked, and would not if it were asked something else. */
	isRefused: boolean;
}

/** How many requests a check sends at most. */
const MOST_REQUESTS = 40;

/** How many requests are kept back, to delete what was made and to find it before. */
const KEPT_BACK = 14;

/** How many requests one call may take if the service wants to be told the version of what it changes. */
const REQUESTS_PER_CALL = 3;

/** How often a request is sent again that met the rate limit or, if that does no harm, a failure. */
const MOST_REPEATS = 2;

/** In ms: a rate limit may be one for each second, and a scan take as long. */
const A_MOMENT = 2_000;

const isFailure = ({ status }: Seen) => status === 0 || status >= 500;

/** Sends the requests of a check, and counts every one, whatever the service answers. */
export class Asker {
	spent = 0;
	/** The headers of every answer, and when it came, in ms since 1970. */
	readonly answers: Array<{ headers: IDataObject; at: number }> = [];
	/** The last answer to each call at which the service failed: it is not asked again. */
	readonly failed = new Map<EndpointName, Seen>();
	/** The answer that ended the check early, because it was the last of several refusals for the rate limit. */
	limitedBy?: Seen;
	private isTidyingUp = false;

	constructor(private api: Api) {}

	/** Allows the requests that were kept back, also if the execution is cancelled. */
	beginTidyingUp(): void {
		this.api = this.api.withoutSignal();
		this.isTidyingUp = true;
	}

	private get isSpent(): boolean {
		const keptBack = this.isTidyingUp ? REQUESTS_PER_CALL - 1 : KEPT_BACK;
		return this.spent >= MOST_REQUESTS - keptBack;
	}

	/**
	 * Sends nothing if the service has failed at this before or answers nothing but 429, unless the check tidies up, or if too
	 * few requests are left.
	 *
	 * @param isPending whether the service will answer otherwise in a moment
	 */
	async ask(
		name: EndpointName,
		call: Probe = {},
		isPending: (seen: Seen) => boolean = () => false,
	): Promise<Seen | undefined> {
		if (!this.isTidyingUp && (this.limitedBy || this.failed.has(name))) return undefined;
		const isEarly = (one: Seen) => one.status === 429 || isPending(one);
		const mayRepeat = endpoints[name].method !== 'POST';
		let seen: Seen | undefined;
		for (let repeats = 0; repeats <= MOST_REPEATS && !this.isSpent; repeats++) {
			const extra = seen && isEarly(seen) ? A_MOMENT : 0;
			if (repeats) await pause(wallClock, backoff(repeats) + extra, this.api.signal);
			seen = await this.send(name, call);
			if (!isEarly(seen) && !(mayRepeat && isFailure(seen))) break;
		}
		if (!this.isTidyingUp && seen?.status === 429) this.limitedBy = seen;
		if (seen && isFailure(seen)) this.failed.set(name, seen);
		return seen;
	}

	/** The bytes at an address that the service gave for a file, without the key. */
	async open(url: string): Promise<Buffer | undefined> {
		if (this.isSpent) return undefined;
		this.spent++;
		return await this.api
			.openAddress({ url, access: 'signed' })
			.then(async (exchange) => await readBytes(exchange.pieces(), new URL(url).host))
			.catch(() => undefined);
	}

	/** Brings the file of a new document to where the dialect says, and confirms it. Whether that worked. */
	async bring(id: string, created: Seen, source: FileSource): Promise<boolean> {
		if (this.isSpent) return false;
		const onRequest = () => {
			this.spent++;
		};
		const answer: Api['answer'] = async (name, call) =>
			await this.api.answer(name, { ...call, onRequest, isSingle: call?.own?.method !== 'PUT' });
		const openAddress: Api['openAddress'] = async (...asked) => {
			this.spent++;
			return await this.api.openAddress(...asked);
		};
		const body = isObject(created.body) ? created.body : {};
		const api = { ...this.api, answer, openAddress };
		return await bringFile(api, 'documents.upload', id, body, source, {}).then(
			() => true,
			() => false,
		);
	}

	private async send(name: EndpointName, call: Probe): Promise<Seen> {
		let problem: Problem | undefined;
		const onRequest = () => {
			this.spent++;
		};
		const answer = await this.api.probe(name, { ...call, onRequest }).catch((error: unknown) => {
			if (!isProblem(error) || isProblem(error, 'CANCELLED')) throw error;
			problem = error;
			const isOverLimit = isProblem(error, 'RATE_LIMIT_WAIT_TOO_LONG');
			return { statusCode: isOverLimit ? 429 : 0, headers: {}, body: Buffer.alloc(0) };
		});
		const { statusCode: status, headers, body: bytes } = answer;
		this.answers.push({ headers, at: Date.now() });
		const isRefused = status >= 400 && status < 500 && status !== 429;
		const isGood = status > 0 && status < 300;
		const body = parseJson(bytes.toString('utf8'));
		return { status, problem, headers, body, bytes, isGood, isRefused };
	}
}
