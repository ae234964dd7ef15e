import { html } from 'hono/html';
import { isObject, readText } from '../platform/json.mts';
import type { JsonObject } from '../platform/json.mts';
import { perPage } from './datasets.mts';
import { badge, formatValue, pager, table, tabs, timestamp, userText } from './elements.mts';
import type { Html } from './elements.mts';
import { button } from './forms.mts';
import { callControl, readPageNumber } from './request.mts';
import type { PageRequest } from './request.mts';

export const deliveryStates = ['pending', 'delivered', 'failed'] as const;

type DeliveryState = (typeof deliveryStates)[number];

const moods = { pending: 'warn', delivered: 'good', failed: 'bad' } as const;
/** How long a page waits for the answer of a receiver, in milliseconds. */
export const answerWaitMs = 1500;

/** Sends an event again. Waits a moment, so that the page already shows the answer of the receiver. */
export async function redeliver(request: PageRequest, fields: URLSearchParams): Promise<string> {
	await callControl(request, 'post /deliveries/{id}/redeliver');
	await request.service.dispatch.idle(answerWaitMs);
	fields.set('done', 'redelivered');
	const id = request.context.req.param('id') ?? '';
	return `/_sandbox/webhooks?${fields.toString()}#${encodeURIComponent(id)}`;
}

/** A page of the deliveries in a state, or in any, newest first, each with its attempts and a button to send it again. */
export function deliveryList(request: PageRequest, state: DeliveryState | undefined): Html {
	const { service } = request;
	const page = readPageNumber(request);
	const { data, total } = service.deliveryLog.page({ state }, page, perPage);
	const addresses = new Map(service.webhooks.list().map(({ id, url }) => [id, readText(url)]));
	const { pending, delivered, failed } = service.deliveryLog.counts();
	const buildAddress = (other: number, chosen = state) =>
		`?${new URLSearchParams({ ...(chosen && { state: chosen }), page: String(other) }).toString()}#deliveries`;
	const view = (name: string, count: number, chosen: DeliveryState) => ({
		name: `${name} (${count})`,
		address: buildAddress(1, chosen),
		isCurrent: chosen === state,
	});
	return html`${tabs('Deliveries by state', [
		{
			name: `All (${pending + delivered + failed})`,
			address: '/_sandbox/webhooks#deliveries',
			isCurrent: state === undefined,
		},
		view('Waiting', pending, 'pending'),
		view('Delivered', delivered, 'delivered'),
		view('Failed', failed, 'failed'),
	])}
	${table<JsonObject>(
		'Deliveries',
		[
			{
				head: 'Event',
				cell: (one) =>
					html`<b>${readText(one.event)}</b><br /><span class="quiet"
							>${timestamp(readText(one.created_at))}</span
						>`,
			},
			{ head: 'State', cell: formatState },
			{ head: 'Attempts', cell: attemptList },
			{ head: 'Webhook', cell: (one) => userText(addresses.get(one.webhook_id) ?? null) },
			{
				head: 'Send again',
				kind: 'action',
				cell: (one) => redeliverButton(one, state, page),
			},
		],
		data,
		state
			? 'There are no deliveries in this state.'
			: 'There are no deliveries yet. Upload a document to send an event.',
		(one) => readText(one.id),
	)}
	${pager({ page, perPage, total }, (other) => buildAddress(other))}`;
}

function formatState({ state, due_at }: JsonObject): Html {
	const known = deliveryStates.find((name) => name === state) ?? 'pending';
	const due = readText(due_at);
	return html`${badge(known === 'pending' ? 'waiting' : known, moods[known])}
	${due === null ? '' : html`<br /><span class="quiet">next attempt ${timestamp(due)}</span>`}`;
}

function attemptList({ id, attempts }: JsonObject): Html {
	const list = Array.isArray(attempts) ? attempts.filter(isObject) : [];
	const last = list.at(-1);
	if (!last) return html`<span class="quiet">none yet</span>`;
	return html`<details id="attempts-${readText(id)}">
		<summary>
			${list.length === 1 ? '1 attempt' : `${list.length} attempts`}: ${formatOutcome(last)}
		</summary>
		<ol class="attempts">
			${list.map(
				(one) =>
					html`<li>
						${formatOutcome(one)}
						<span class="quiet">${timestamp(readText(one.at))}, ${formatValue(one.ms)} ms</span>
						${faultBadge(one)} ${answerText(one)}
					</li>`,
			)}
		</ol>
	</details>`;
}

/** The answer to an attempt, in words. */
export function formatOutcome({ status, error }: JsonObject): Html {
	if (typeof status === 'number') return html`answered ${status}`;
	return html`<bdi>${readText(error) ?? 'no answer'}</bdi>`;
}

function faultBadge({ faults }: JsonObject): Html | string {
	if (!Array.isArray(faults) || faults.length === 0) return '';
	return badge(`fault: ${faults.map(String).join(', ')}`, 'warn');
}

function answerText({ answer }: JsonObject): Html | string {
	const text = readText(answer);
	return text ? html`<pre tabindex="0" aria-label="Answer"><bdi>${text}</bdi></pre>` : '';
}

function redeliverButton(one: JsonObject, state: DeliveryState | undefined, page: number): Html {
	const id = encodeURIComponent(readText(one.id) ?? '');
	const label = html`Deliver again<span class="unseen">
			${readText(one.event)} of ${readText(one.created_at)}</span
		>`;
	const sends = { ...(state && { state }), page: String(page) };
	return button(`/_sandbox/deliveries/${id}/redeliver`, label, { sends });
}
