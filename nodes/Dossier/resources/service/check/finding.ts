import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import type { Api, Probed } from '../../../api/client';
import { endpoints, kindsByEndpoint } from '../../../api/endpoints';
import type { EndpointName } from '../../../api/endpoints';
import { parseJson, toText, toWhole } from '../../../api/json';
import { isProblem } from '../../../problems/problem';
import { findList, findRecord, toSent, walk } from '../../../dialect/structure';
import { isObject, isWithin } from '../../../dialect/paths';
import { collectForms } from '../../../execution/labels';
import { explain } from '../../../execution/explain';
import { compareFields, mergeFields } from './fields';
import type { Field, Fields } from './fields';
import type { GivenDialect } from './given';

/** A request and what came back. It holds names, types and statuses, and no content of a record. */
interface Exchange {
	/** The request, with the names of what it sent. */
	asked: string;
	/** The status, and what the answer is. */
	answer: string;
	/** Where the answer has the record or the list; empty if the answer itself is that. */
	envelope: string;
	/** What the answer has beside them, such as what leads to the next page. */
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
	exchanges: Exchange[];
	/** Why this package cannot use an answer, or what is not as it was sent. */
	problems: string[];
}

const noForms = collectForms([]);

/** Notes why this package cannot use an answer. */
export function noteProblem(finding: Finding, problem: unknown): void {
	const sentence = typeof problem === 'string' ? problem : explain(problem, noForms).message;
	if (!finding.problems.includes(sentence)) finding.problems.push(sentence);
	finding.result = 'differs';
}

/** A value of a query, if it is a word or a number. A page token may hold what a record holds. */
const showValue = (value: unknown) =>
	toWhole(value) === undefined && !/^[a-z_]+$/.test(String(value)) ? '…' : String(value);

/** A request without identifiers: its path as the description has it, its query, and the names of what it sent. */
function describeRequest(
	name: EndpointName,
	{ qs = {}, body, headers }: IHttpRequestOptions,
): string {
	const { method, path } = endpoints[name];
	const query = Object.entries(qs).map(([one, value]) => `${one}=${showValue(value)}`);
	const sent = parseJson(typeof body === 'string' ? body : '');
	const names = isObject(sent)
		? `with ${mergeFields([sent])
				.map((one) => one.name)
				.join(', ')}`
		: '';
	const type =
		method === 'POST' && !names ? `as ${toText(headers?.['Content-Type'])?.split(';')[0]}` : '';
	const asked = [path, query.join('&')].filter(Boolean).join('?');
	return [method, asked, names, type].filter(Boolean).join(' ');
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

/** What came back, in a few words; a file may be as bytes, as JSON or elsewhere. */
function describeFile({ status, answer }: Probed): string {
	if (isObject(answer?.body)) return 'JSON';
	return status >= 300 ? 'redirect' : 'bytes';
}

/** Adds what came back from a request to a finding. */
export function addExchange(
	finding: Finding,
	{
		api,
		given,
		name,
		request,
	}: { api: Api; given: GivenDialect; name: EndpointName; request?: IHttpRequestOptions },
	seen: Probed,
): void {
	const { status, headers, text, answer, problem } = seen;
	const asked = describeRequest(name, request ?? { url: '' });
	const isRefused = status >= 400 || isProblem(problem, 'REFUSED');
	const exchange: Exchange = {
		asked,
		answer: String(status),
		envelope: '',
		beside: [],
		refusal: isRefused ? text : '',
	};
	finding.exchanges.push(exchange);
	if (isRefused) {
		finding.result = 'refused';
		return;
	}
	if (status === 0) {
		exchange.answer = explain(problem, noForms).message;
		finding.result = 'no answer';
		return;
	}
	const { body = {} } = answer ?? {};
	if (isObject(body)) exchange.beside = mergeFields([body]);
	if (headers.link !== undefined) exchange.beside.push({ name: 'header Link', type: 'text' });
	if (name === 'documents.download') exchange.answer += `, ${describeFile(seen)}`;
	else if (problem) noteProblem(finding, problem);
	const read = findRecords(api, name, body);
	if (!read) return;
	const { kind, isList, records, envelope } = read;
	const shown = isList ? `a list of ${records.length}` : 'the record';
	exchange.answer += `, ${shown} ${envelope ? `under "${envelope}"` : 'without an envelope'}`;
	exchange.envelope = envelope;
	exchange.beside = exchange.beside.filter((one) => envelope && !isWithin(one.name, envelope));
	Object.assign(finding, compareFields(kind, records, api.translator.dialect));
	given.observeRecords(kind, records, finding);
	if (finding.missing.length) finding.result = 'differs';
}
