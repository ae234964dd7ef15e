import type { Stage } from './stage.ts';

const PAGE = 100;

/** An attempt of the service to deliver an event. */
export interface Attempt {
	/** By the clock of the service. */
	at: string;
	status: number | null;
	/** The beginning of the answer's body. */
	answer: string | null;
	error: string | null;
}

interface Delivery {
	id: string;
	event_id: string;
	attempts: Attempt[];
}

/** A delivery that the service has forgotten together with its registration. */
export interface DroppedDelivery extends Delivery {
	/** The document that it is about; left out if its event had been reported. */
	document?: string | undefined;
}

/** Every delivery that the service knows of: those of forgotten registrations are gone. */
async function listDeliveries({ control }: Stage, filter: object = {}): Promise<Delivery[]> {
	const all: Delivery[] = [];
	for (let page = 1; ; page += 1) {
		const params = { ...filter, page, per_page: PAGE };
		const { data } = await control.get<{ data: Delivery[] }>('/deliveries', { params });
		all.push(...data.data);
		if (data.data.length < PAGE) return all;
	}
}

/** The document that a delivery is about. */
async function readDocument({ control }: Stage, { id }: Delivery): Promise<string | undefined> {
	interface Body {
		body: { data: { document_id?: string } };
	}
	return (await control.get<Body>(`/deliveries/${id}`)).data.body.data.document_id;
}

/** The documents whose events wait to be delivered. */
export async function listPending(stage: Stage): Promise<string[]> {
	const documents: string[] = [];
	for (const delivery of await listDeliveries(stage, { state: 'pending' })) {
		const document = await readDocument(stage, delivery);
		if (document !== undefined) documents.push(document);
	}
	return documents;
}

/**
 * Every delivery, to be kept before its registration is dropped.
 *
 * @param reported the ids of the events that were reported
 */
export async function copyDeliveries(
	stage: Stage,
	reported: Set<string>,
): Promise<DroppedDelivery[]> {
	const copies: DroppedDelivery[] = [];
	for (const delivery of await listDeliveries(stage)) {
		const isReported = reported.has(delivery.event_id);
		const document = isReported ? undefined : await readDocument(stage, delivery);
		copies.push({ ...delivery, document });
	}
	return copies;
}

/** Whether an attempt got no answer, so that the receiver may have taken the event all the same. */
export const isUnanswered = ({ attempts }: Pick<Delivery, 'attempts'>) =>
	attempts.some(({ status }) => status === null);

/** The attempts to deliver the event of a document that nobody reported. */
export async function findAttempts(
	stage: Stage,
	dropped: DroppedDelivery[],
	document: string,
): Promise<Attempt[]> {
	const found = dropped.filter((delivery) => delivery.document === document);
	for (const delivery of await listDeliveries(stage)) {
		if ((await readDocument(stage, delivery)) === document)
			return joinAttempts([...found, delivery]);
	}
	return joinAttempts(found);
}

/** The attempts of the service to deliver an event, to any webhook. */
export async function readAttempts(
	stage: Stage,
	dropped: DroppedDelivery[],
	event: string,
): Promise<Attempt[]> {
	const found = dropped.filter(({ event_id }) => event_id === event);
	return joinAttempts([...found, ...(await listDeliveries(stage, { event_id: event }))]);
}

const joinAttempts = (deliveries: Delivery[]) => deliveries.flatMap(({ attempts }) => attempts);
