import { html } from 'hono/html';
import { isObject, readText } from '../platform/json.mts';
import type { JsonObject } from '../platform/json.mts';
import type { EventKind } from '../webhooks/events.mts';
import type { Dataset } from './datasets.mts';
import { formatOutcome } from './deliveries.mts';
import { formatCount, userText } from './elements.mts';
import type { Html } from './elements.mts';
import { button } from './forms.mts';
import type { PageRequest } from './request.mts';

/** Shows who was called about the newest event of a kind, with which answer, or why nobody was called. */
export function sentEvent(request: PageRequest, dataset: Dataset, kind: EventKind): Html {
	const { service } = request;
	const id = service.events.findNewest(dataset.n, kind);
	const deliveries =
		id === undefined ? [] : service.deliveryLog.page({ event_id: id }, 1, 100).data;
	const addresses = new Map(service.webhooks.list().map((one) => [one.id, readText(one.url)]));
	return html`<section class="card" aria-labelledby="sent">
		<h2 id="sent" class="small">Event <code>${kind}</code></h2>
		${deliveries.length === 0
			? html`<p>${explainSilence(request, dataset)}</p>`
			: deliveries.map((one) => called(one, addresses.get(one.webhook_id) ?? null))}
	</section>`;
}

function called(delivery: JsonObject, address: string | null): Html {
	const id = encodeURIComponent(readText(delivery.id) ?? '');
	const attempts = Array.isArray(delivery.attempts) ? delivery.attempts.filter(isObject) : [];
	const last = attempts.at(-1);
	return html`<p>
			${userText(address)} ${last ? formatOutcome(last) : 'has not answered yet'}.
			<a href="/_sandbox/webhooks#${id}">The delivery</a>
		</p>
		${button(`/_sandbox/deliveries/${id}/redeliver`, 'Deliver again')}`;
}

function explainSilence({ service }: PageRequest, { organization, environment }: Dataset): Html {
	const own = service.webhooks
		.list()
		.filter(({ organization_id }) => organization_id === organization.id);
	const here = own.filter((webhook) => webhook.environment === environment);
	const elsewhere = own.length - here.length;
	const other = environment === 'test' ? 'live' : 'test';
	const listens = (count: number) => (count === 1 ? 'listens' : 'listen');
	if (here.length > 0) {
		return html`Nobody was called: ${formatCount(here.length, 'webhook')} ${listens(here.length)} to
			${environment} data, but not to this event, or ${here.length === 1 ? 'is' : 'are'} disabled.
			<a href="/_sandbox/webhooks">Webhooks</a>`;
	}
	if (elsewhere > 0) {
		return html`Nobody was called: ${formatCount(elsewhere, 'webhook')} ${listens(elsewhere)} to
		${other} data; this is ${environment} data. Use the ${environment} key in n8n, or the ${other}
		records here.`;
	}
	return html`Nobody was called: no webhook is registered. Publish a workflow that begins with the
	Dossier Trigger.`;
}
