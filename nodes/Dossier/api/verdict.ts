import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../dialect/paths';
import type { Answer } from './answers';
import type { Connection } from './connection';
import { endpoints, findRecordKind } from './endpoints';
import type { EndpointName } from './endpoints';
import { isRemark, mapRefusal, readRefusedStatus, redact } from './failures';
import { Problem } from './problem';
import { parseJson, toText } from './values';

/** An answer with its body, before it is parsed. */
export interface Response {
	statusCode: number;
	headers: IDataObject;
	body: Buffer;
}

/** Tells good answers of a service from refusals, and from answers of something else, such as a proxy. */
interface Judge {
	/**
	 * Throws the problem of a status of 300 or above.
	 *
	 * @throws Problem
	 */
	refuse(name: EndpointName, status: number, headers: IDataObject, body: string): void;
	/**
	 * Throws the refusal in an answer with a good status.
	 *
	 * @param parsed the body as JSON
	 * @throws Problem
	 */
	refuseParsed(name: EndpointName, parsed: unknown, headers: IDataObject, body: string): void;
	/**
	 * Parses a good answer of the service, and throws on any other. The answer to a GET may be without a body only if its
	 * status is 204.
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
			const isList = name.endsWith('.list') || name === 'audit.export';
			if (isObject(parsed) && !(isList && isRemark(parsed)))
				return { status, headers, body: parsed };
			if (Array.isArray(parsed)) return { status, headers, body: parsed.filter(isObject) };
			throw new Problem('NOT_THE_SERVICE', { host, access, status });
		},
	};
}
