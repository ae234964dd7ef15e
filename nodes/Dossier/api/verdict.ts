import type { IDataObject } from 'n8n-workflow';
import type { Answer } from './answers';
import type { Connection } from './connection';
import { endpoints, findRecordKind } from './endpoints';
import type { EndpointName } from './endpoints';
import { mapRefusal, readRefusedStatus } from './failures';
import { Problem } from './problem';
import { redact } from './redaction';
import { isRecord, parseJson, toText } from './values';

/** An answer that was read. */
export interface Response {
	statusCode: number;
	headers: IDataObject;
	body: Buffer;
}

/** Tells good answers of a service from refusals, and from what is not its own answer. */
interface Judge {
	/**
	 * Throws what a status above 300 stands for.
	 *
	 * @throws Problem
	 */
	refuse(name: EndpointName, status: number, headers: IDataObject, body: string): void;
	/**
	 * Throws the refusal that a service gives with a good status.
	 *
	 * @param parsed the body as JSON
	 * @throws Problem
	 */
	refuseParsed(name: EndpointName, parsed: unknown, headers: IDataObject, body: string): void;
	/**
	 * Refuses everything that is not a good answer of the service, and parses the rest. A call that reads something gets an
	 * answer without a body only with a 204.
	 *
	 * @throws Problem
	 */
	parse(name: EndpointName, response: Response): Answer;
}

export function createJudge({ root, access, secret, translator }: Connection): Judge {
	const { host } = new URL(root);

	const refuse: Judge['refuse'] = (name, status, headers, body) => {
		const requestId = toText(headers['x-request-id']);
		if (status >= 400) {
			const asked = { access, translator, kind: findRecordKind(name) };
			throw mapRefusal(status, redact(body, secret), requestId, asked);
		}
		if (status < 300) return;
		const target = redact(toText(headers.location) ?? '', secret).split('?')[0] || undefined;
		throw new Problem('REDIRECTED', { host, access, target, status });
	};

	const refuseParsed: Judge['refuseParsed'] = (name, parsed, headers, body) => {
		const refused = readRefusedStatus(parsed);
		if (refused !== undefined) refuse(name, refused, headers, body);
	};

	return {
		refuse,
		refuseParsed,
		parse: (name, { statusCode: status, headers, body }) => {
			const text = body.toString('utf8');
			refuse(name, status, headers, text);
			const mayBeEmpty = status === 204 || endpoints[name].method !== 'GET';
			if (!text.trim() && mayBeEmpty) return { status, headers, body: undefined };
			const parsed = parseJson(text);
			refuseParsed(name, parsed, headers, text);
			if (isRecord(parsed)) return { status, headers, body: parsed };
			if (Array.isArray(parsed)) return { status, headers, body: parsed.filter(isRecord) };
			throw new Problem('NOT_THE_SERVICE', { host, access, status });
		},
	};
}
