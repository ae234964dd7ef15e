/** Which version of a record a change is about. */
import type { IDataObject } from 'n8n-workflow';
import { endpoints, findReadEndpoint } from '../endpoints';
import type { EndpointName } from '../endpoints';
import { toText } from '../json';
import type { PacedAnswer } from '../pace/pacing';
import type { Exchange } from './exchange';
import { sendCall } from './requests';
import type { Call, CallContext } from './requests';

/** The status of a service that changes a record only if the request names its version (RFC 6585). */
const PRECONDITION_REQUIRED = 428;

/** The headers that name the version of a record, from those of the answer that showed it. */
const nameVersion = ({ etag }: IDataObject): IDataObject | undefined =>
	toText(etag) === undefined ? undefined : { 'If-Match': etag };

/** The header for a change: a weak version is equal to none (RFC 9110, 13.1.1). */
const requireVersion = (version: IDataObject | undefined): IDataObject | undefined =>
	toText(version?.['If-Match'])?.startsWith('"') ? version : undefined;

/** The endpoint that tells the version of the record, if a call was refused because it does not name one. */
const findVersionReader = (name: EndpointName, status: number | undefined) =>
	status === PRECONDITION_REQUIRED ? findReadEndpoint(name) : undefined;

/**
 * Sends a call. A change names the version of the record that the run has seen last, so that the service refuses it if
 * somebody has changed the record since. Any call is sent again with that version if the service demands one.
 *
 * @throws Problem
 */
export async function sendVersioned<R extends PacedAnswer>(
	context: CallContext,
	name: EndpointName,
	call: Call,
	take: (exchange: Exchange) => R | Promise<R>,
): Promise<{ response: R; wasMaybeDone: boolean }> {
	const { versions } = context.scope;
	const record = `${endpoints[name].path} ${call.id ?? ''}`;
	const send = async (asked: EndpointName, more: Call) => {
		const sent = await sendCall(context, asked, more, take);
		const { statusCode, headers } = sent.response;
		if (statusCode < 300) versions.set(record, nameVersion(headers));
		return sent;
	};
	const isChange = endpoints[name].method === 'PUT' && !call.isAnyVersion;
	const seen = isChange ? requireVersion(versions.get(record)) : undefined;
	const sent = await send(name, seen ? { ...call, headers: { ...call.headers, ...seen } } : call);
	const reader = findVersionReader(name, sent.response.statusCode);
	if (!reader) return sent;
	if (!versions.get(record)) await send(reader, { id: call.id });
	const version = versions.get(record);
	return version ? await send(name, { ...call, headers: version }) : sent;
}
