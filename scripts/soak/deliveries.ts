import type { Stage } from './stage.ts';

const PAGE = 100;

/** An attempt of the service to deliver an event. */
export interface Attempt {
	/** By the clock of the service. */
	at: string;
	status: number | null;
	error: string | null;
}

interface Delivery {
	id: string;
	event_id: string;
	attempts: Attempt[];
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

/** The ids of the events of which an attempt to deliver them got no answer. */
export async function listUnanswered(stage: Stage): Promise<string[]> {
	const deliveries = await listDeliveries(stage);
	return deliveries.filter(isUnanswered).map(({ event_id }) => event_id);
}

/** Whether an attempt got no answer, so that the receiver may have taken the event all the same. */
export const isUnanswered = ({ attempts }: Pick<Delivery, 'attempts'>) =>
	attempts.some(({ status }) => status === null);

/** The attempts to deliver the event of a document that nobody reported. */
export async function findAttempts(stage: Stage, document: string): Promise<Attempt[]> {
	for (const delivery of await listDeliveries(stage)) {
		if ((await readDocument(stage, delivery)) === document) return delivery.attempts;
	}
	return [];
}

/** The attempts of the service to deliver an event, to any webhook. */
export async function readAttempts(stage: Stage, event: string): Promise<Attempt[]> {
	const deliveries = await listDeliveries(stage, { event_id: event });
	return deliveries.flatMap(({ attempts }) => attempts);
}
