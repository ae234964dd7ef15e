import type { IDataObject } from 'n8n-workflow';
import type { Api, Probe } from '../../../api/client';
import { backoff, pause, wallClock } from '../../../api/clock';
import { endpoints } from '../../../api/endpoints';
import type { EndpointName } from '../../../api/endpoints';
import { readBytes } from '../../../api/send/exchange';
import { isProblem } from '../../../problems/problem';
import type { Problem } from '../../../problems/problem';
import { parseJson } from '../../../api/json';

/** What the service answered to one question. */
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

type Creation = 'dossiers.create' | 'documents.upload' | 'tasks.create';

/** Asks the service with a limited number of requests. Every request counts, whatever the service answers. */
export interface Asker {
	/** `undefined` if only the requests that tidying up may need are left, or if the service answers nothing but 429. */
	ask(name: EndpointName, call?: Probe): Promise<Seen | undefined>;
	/** Asks also if the execution is cancelled, with the requests that were kept back. */
	tidyUp(name: EndpointName, call: Probe): Promise<Seen | undefined>;
	/** The bytes at an address that the service gave for a file, without the key. */
	open(url: string): Promise<Buffer | undefined>;
	readonly spent: number;
	/** How many dossiers, documents and tasks may have been made by what was asked. */
	readonly created: Record<Creation, number>;
	/** The headers of all answers together. */
	readonly headers: IDataObject;
}

/** How many requests a check sends at most. */
const MOST_REQUESTS = 40;

/** How often a request is sent again that met the rate limit or, if that does no harm, a failure. */
const MOST_REPEATS = 2;

/** How many requests finding and deleting take for a record whose making was not answered. */
const FOR_FINDING = 4;

const isFailure = ({ status }: Seen) => status === 0 || status >= 500;

/** @param countMade tells how many records are known to be there */
export function createAsker(api: Api, countMade: () => number): Asker {
	const created = { 'dossiers.create': 0, 'documents.upload': 0, 'tasks.create': 0 };
	const isCreation = (name: EndpointName): name is Creation => name in created;
	const failed = new Set<EndpointName>();
	const headers: IDataObject = {};
	let spent = 0;
	let isLimited = false;

	/** How many requests it takes to delete everything that was made, also if one deletion fails at first. */
	function countReserve(): number {
		const made = countMade();
		const all = Object.values(created).reduce((sum, count) => sum + count, 0);
		return all ? all + MOST_REPEATS + (all > made ? FOR_FINDING : 0) : 0;
	}

	async function sendOnce(via: Api, name: EndpointName, call: Probe): Promise<Seen> {
		spent++;
		let problem: Problem | undefined;
		const answer = await via.probe(name, call).catch((error: unknown) => {
			if (isCreation(name)) created[name]++;
			if (!isProblem(error) || isProblem(error, 'CANCELLED')) throw error;
			isLimited = isProblem(error, 'RATE_LIMIT_WAIT_TOO_LONG');
			problem = error;
			return { statusCode: 0, headers: {}, body: Buffer.alloc(0) };
		});
		Object.assign(headers, answer.headers);
		const { statusCode: status, body: bytes } = answer;
		if (isCreation(name) && status > 0 && (status < 400 || status >= 500)) created[name]++;
		const body = parseJson(bytes.toString('utf8'));
		return { status, problem, headers: answer.headers, body, bytes };
	}

	async function send(
		via: Api,
		name: EndpointName,
		call: Probe,
		most: () => number,
	): Promise<Seen | undefined> {
		const mayRepeat = endpoints[name].method !== 'POST';
		let seen: Seen | undefined;
		for (let repeats = 0; repeats <= MOST_REPEATS && spent < most() && !isLimited; repeats++) {
			if (repeats) await pause(wallClock, backoff(repeats), via.signal);
			seen = await sendOnce(via, name, call);
			if (seen.status !== 429 && !(mayRepeat && isFailure(seen))) return seen;
		}
		return seen;
	}

	return {
		get spent() {
			return spent;
		},
		created,
		headers,
		async ask(name, call = {}) {
			if (failed.has(name)) return undefined;
			const kept = isCreation(name) ? FOR_FINDING + 1 : 0;
			const seen = await send(api, name, call, () => MOST_REQUESTS - countReserve() - kept);
			if (seen?.status === 429) isLimited = true;
			if (seen && isFailure(seen)) failed.add(name);
			return seen;
		},
		async open(url) {
			if (spent >= MOST_REQUESTS - countReserve()) return undefined;
			spent++;
			return await api
				.openAddress({ url, access: 'signed' })
				.then(async (exchange) => await readBytes(exchange.pieces(), new URL(url).host))
				.catch(() => undefined);
		},
		async tidyUp(name, call) {
			isLimited = false;
			return await send(api.withoutSignal(), name, call, () => MOST_REQUESTS);
		},
	};
}

export const isGood = (seen: Seen | undefined): seen is Seen & { isGood: true } =>
	seen !== undefined && seen.status > 0 && seen.status < 300;

/** Whether the service refused what it was asked, and would not if it were asked something else. */
export const isRefused = (seen: Seen | undefined): seen is Seen & { isRefused: true } =>
	seen !== undefined && seen.status >= 400 && seen.status < 500 && seen.status !== 429;
