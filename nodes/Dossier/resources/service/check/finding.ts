import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import type { Api } from '../../../api/client';
import { endpoints, kindsByEndpoint } from '../../../api/endpoints';
import type { EndpointName } from '../../../api/endpoints';
import { parseJson, toText } from '../../../api/json';
import { listParameters } from '../../../api/send/address';
import type { SeenAnswer } from '../../../api/send/exchange';
import { mediaType } from '../../../api/transfer/fileFacts';
import { findList, findRecord, toSent, walk } from '../../../dialect/structure';
import { isObject, isWithin } from '../../../dialect/paths';
import { collectForms } from '../../../execution/labels';
import { explain } from '../../../execution/explain';
import { isProblem } from '../../../problems/problem';
import type { Problem } from '../../../problems/problem';
import { compareFields, mergeFields } from './fields';
import type { Field, Fields } from './fields';
import type { GivenDialect } from './given';

/** A request and what came back. It holds names, types and statuses, and no content of a record. */
interface RecordedExchange {
	/** The request, with the names of what it sent. */
	asked: string;
	/** The status, what the answer is, and its envelope. */
	answer: string;
	/** What the answer has beside the record or the list, such as what leads to the next page. */
	beside: Field[];
	/** The whole text of a refusal, without the key. */
	refusal: string;
}

/** One thing that the check looked at. */
export interface Finding extends Fields {
	what: string;
	/** What the contract expects. */
	expected: string;
	/** `differs` if fields are missing, or if there are problems. */
	result: 'understood' | 'differs' | 'refused' | 'no answer';
	exchanges: RecordedExchange[];
	/** Why this package cannot use an answer, or what is not as it was sent. */
	problems: string[];
}

const noForms = collectForms([]);

/** Notes why this package cannot use an answer. */
export function noteProblem(finding: Finding, problem: unknown): void {
	const sentence = typeof problem === 'string' ? problem : explain(problem, noForms).message;
	if (!finding.problems.includes(sentence)) finding.problems.push(sentence);
	if (finding.result === 'understood') finding.result = 'differs';
}

/** A request without content: its path as the description has it, and the names of what it sent. */
function describeRequest(
	name: EndpointName,
	{ qs = {}, body, headers }: IHttpRequestOptions,
): string {
	const { method, path } = endpoints[name];
	const query = listParameters(qs).join('&');
	const sent = parseJson(typeof body === 'string' ? body : '');
	const names = isObject(sent) ? mergeFields([sent]).map((field) => field.name) : [];
	const type = toText(headers?.['Content-Type'])?.split(';')[0];
	const format = method === 'POST' ? ` as ${type ?? ''}` : '';
	const more = names.length ? ` with ${names.join(', ')}` : format;
	return `${method} ${path}${query && `?${query}`}${more}`;
}

/** The records of an answer, as the service sent them, and where they stand. */
function findRecords({ translator }: Api, name: EndpointName, body: IDataObject | IDataObject[]) {
	const kind = kindsByEndpoint[name];
	if (!kind || name.endsWith('.delete')) return undefined;
	const isList = name.endsWith('.list');
	const record = isList ? undefined : findRecord(translator, kind, body);
	const records = isList ? findList(translator, kind, body) : record && [toSent(record)];
	if (!records) return undefined;
	const [first] = records;
	const isHolder = (value: unknown) =>
		Array.isArray(value)
			? isList && (first ? value.includes(first) : !value.length)
			: value === first;
	const [, path = []] = [...walk(body)].find(([value]) => isHolder(value)) ?? [];
	return { kind, isList, records, envelope: path.join('.') };
}

/** A request of the check: what was sent, and what came back or why nothing did. */
export interface RecordedCall {
	name: EndpointName;
	request?: IHttpRequestOptions;
	answer?: SeenAnswer;
	problem?: Problem;
}

/** Adds a request and what came back to a finding. */
export function addExchange(
	finding: Finding,
	{ api, given }: { api: Api; given: GivenDialect },
	{ name, request, answer, problem }: RecordedCall,
): void {
	const asked = describeRequest(name, request ?? { url: '' });
	const exchange: RecordedExchange = { asked, answer: '', beside: [], refusal: '' };
	finding.exchanges.push(exchange);
	if (!answer) {
		exchange.answer = explain(problem, noForms).message;
		finding.result = 'no answer';
		return;
	}
	const { status, headers, text } = answer;
	exchange.answer = String(status);
	if (status >= 400 || isProblem(problem, 'REFUSED')) {
		exchange.refusal = text;
		finding.result = 'refused';
		return;
	}
	if (name === 'documents.download') exchange.answer += `, ${mediaType(headers) ?? 'no type'}`;
	const parsed = parseJson(text);
	const body = Array.isArray(parsed) ? parsed.filter(isObject) : isObject(parsed) ? parsed : {};
	if (isObject(body)) exchange.beside = mergeFields([body]);
	if (headers.link !== undefined) exchange.beside.push({ name: 'header Link', type: 'text' });
	const read = findRecords(api, name, body);
	if (!read) return;
	const { kind, isList, records, envelope } = read;
	const shown = isList ? `a list of ${records.length}` : 'the record';
	exchange.answer += `, ${shown} ${envelope ? `under "${envelope}"` : 'without an envelope'}`;
	exchange.beside = exchange.beside.filter((one) => envelope && !isWithin(one.name, envelope));
	Object.assign(finding, compareFields(kind, records, api.translator.dialect));
	given.judgeNames(kind, records, finding);
	given.judgeValues(kind, records, finding);
	if (finding.missing.length && finding.result === 'understood') finding.result = 'differs';
}
