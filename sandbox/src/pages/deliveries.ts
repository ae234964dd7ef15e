import { html } from 'hono/html';
import { isObject, readText } from '../platform/json.ts';
import type { JsonObject } from '../platform/json.ts';
import { perPage } from './data.ts';
import { badge, timestamp, pager, userText, table, formatValue } from './elements.ts';
import type { Html } from './elements.ts';
import { Form } from './forms.ts';
import { command, first, readPageNumber } from './request.ts';
import type { FormFields, PageRequest } from './request.ts';

/** What a delivery can be. */
export const deliveryStates = ['pending', 'delivered', 'failed'] as const;

type DeliveryState = (typeof deliveryStates)[number];

const moods = { pending: 'warn', delivered: 'good', failed: 'bad' } as const;
const waitMs = 1500;

/** Sends an event again, and gives the receiver a moment, so that the page already shows what came of it. */
export async function redelivery(request: PageRequest, fields: FormFields): Promise<string> {
	const id = request.context.req.param('id') ?? '';
	await command(request, 'POST', `/deliveries/${encodeURIComponent(id)}/redeliver`);
	await request.service.dispatch.idle(waitMs);
	const query = new URLSearchParams(backTo(fields));
	query.set('done', 'redelivered');
	return `/_sandbox/webhooks?${query.toString()}#${encodeURIComponent(id)}`;
}

/** Which deliveries were looked at. */
function backTo(fields: FormFields): [string, string][] {
	return ['state', 'page'].flatMap((name): [string, string][] => {
		const value = first(fields, name);
		return value === undefined ? [] : [[name, value]];
	});
}

/** A page of the deliveries in a state, or in any, the newest first, each with its attempts and a button to send it again. */
export function deliveryList(request: PageRequest, state: DeliveryState | undefined): Html {
	const { service } = request;
	const page = readPageNumber(request);
	const { data, total } = service.deliveryLog.page({ state }, page, perPage);
	const addresses = new Map(service.webhooks.list().map(({ id, url }) => [id, readText(url)]));
	const counts = service.deliveryLog.counts();
	const all = counts.pending + counts.delivered + counts.failed;
	const address = (other: number, chosen = state) =>
		`?${new URLSearchParams({ ...(chosen && { state: chosen }), page: String(other) }).toString()}#deliveries`;
	const tab = (name: string, count: number, chosen?: DeliveryState) =>
		html`<li>
			<a
				href="${chosen ? address(1, chosen) : '/_sandbox/webhooks#deliveries'}"
				${chosen === state ? html`aria-current="page"` : ''}
				>${name} (${count})</a
			>
		</li>`;
	return html`<nav class="tabs" aria-label="Deliveries by state">
			<ul>
				${tab('All', all)} ${tab('Waiting', counts.pending, 'pending')}
				${tab('Delivered', counts.delivered, 'delivered')} ${tab('Failed', counts.failed, 'failed')}
			</ul>
		</nav>
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
				{ head: 'State', cell: stateShown },
				{ head: 'Attempts', cell: attemptsShown },
				{ head: 'Webhook', cell: (one) => userText(addresses.get(one.webhook_id) ?? null) },
				{
					head: 'Send again',
					kind: 'action',
					cell: (one) => redeliverForm(request, one, state, page),
				},
			],
			data,
			state
				? 'No delivery is in this state.'
				: 'No event was sent yet. Upload a document to cause one.',
			(one) => readText(one.id),
		)}
		${pager({ page, perPage, total }, address)}`;
}

function stateShown({ state, due_at }: JsonObject): Html {
	const known = deliveryStates.find((name) => name === state) ?? 'pending';
	const due = readText(due_at);
	return html`${badge(known === 'pending' ? 'waiting' : known, moods[known])}
	${due === null ? '' : html`<br /><span class="quiet">next try ${timestamp(due)}</span>`}`;
}

function attemptsShown({ id, attempts }: JsonObject): Html {
	const list = Array.isArray(attempts) ? attempts.filter(isObject) : [];
	const last = list.at(-1);
	if (!last) return html`<span class="quiet">none yet</span>`;
	return html`<details id="attempts-${readText(id)}">
		<summary>
			${list.length === 1 ? '1 attempt' : `${list.length} attempts`}: ${outcomeOf(last)}
		</summary>
		<ol class="attempts">
			${list.map(
				(one) =>
					html`<li>
						${outcomeOf(one)}
						<span class="quiet">${timestamp(readText(one.at))}, ${formatValue(one.ms)} ms</span>
						${faultsOf(one)} ${answerOf(one)}
					</li>`,
			)}
		</ol>
	</details>`;
}

function outcomeOf({ status, error }: JsonObject): Html {
	if (typeof status === 'number') return html`answered ${status}`;
	return html`<bdi>${readText(error) ?? 'no answer'}</bdi>`;
}

function faultsOf({ faults }: JsonObject): Html | string {
	if (!Array.isArray(faults) || faults.length === 0) return '';
	return badge(`fault: ${faults.map(String).join(', ')}`, 'warn');
}

function answerOf({ answer }: JsonObject): Html | string {
	const text = readText(answer);
	return text ? html`<pre tabindex="0" aria-label="Answer"><bdi>${text}</bdi></pre>` : '';
}

function redeliverForm(
	request: PageRequest,
	one: JsonObject,
	state: string | undefined,
	page: number,
): Html {
	const form = new Form(
		request,
		`/_sandbox/deliveries/${encodeURIComponent(readText(one.id) ?? '')}/redeliver`,
	);
	const back = [state ? form.hidden('state', state) : html``, form.hidden('page', String(page))];
	const event = html`<span class="unseen">
		${readText(one.event)} of ${readText(one.created_at)}</span
	>`;
	return form.html(back, html`Redeliver${event}`, 'plain');
}
