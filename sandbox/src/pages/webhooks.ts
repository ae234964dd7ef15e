import { html } from 'hono/html';
import { readText } from '../platform/json.ts';
import type { JsonObject } from '../platform/json.ts';
import { eventKinds } from '../webhooks/events.ts';
import { parseDataset, listDatasets, formatId } from './data.ts';
import { deliveryList, deliveryStates, redelivery } from './deliveries.ts';
import { badge, copyable, facts, live, timestamp, userText } from './elements.ts';
import type { Html } from './elements.ts';
import { Form } from './forms.ts';
import type { PageRoutes } from './routes.ts';
import { command, first } from './request.ts';
import type { PageContent, PageRequest } from './request.ts';

const home = '/_sandbox/webhooks';
const kinds = eventKinds.map((kind) => ({ value: kind, label: kind }));

/** Where events are sent, and what became of sending them. */
export function webhookPages(routes: PageRoutes): void {
	routes.page('/webhooks', webhookPage);

	routes.form('/webhooks', webhookPage, async (request, fields) => {
		await command(request, 'POST', '/webhooks', {
			...parseDataset(first(fields, 'in')),
			url: first(fields, 'url') ?? '',
			events: fields.get('events') ?? [],
			secret: first(fields, 'secret'),
		});
		return `${home}?done=registered`;
	});

	routes.form('/webhooks/:id/test', webhookPage, async (request, fields) => {
		await command(request, 'POST', `/webhooks/${idIn(request)}/test`, {
			event: first(fields, 'event'),
		});
		await request.service.dispatch.idle(1500);
		return `${home}?done=tested#deliveries`;
	});

	routes.form('/webhooks/:id/status', webhookPage, async (request, fields) => {
		await command(request, 'PATCH', `/webhooks/${idIn(request)}`, {
			status: first(fields, 'status'),
		});
		return `${home}?done=webhook-changed`;
	});

	routes.form('/webhooks/:id/delete', webhookPage, async (request) => {
		await command(request, 'DELETE', `/webhooks/${idIn(request)}`);
		return `${home}?done=webhook-deleted`;
	});

	routes.form('/deliveries/:id/redeliver', webhookPage, redelivery);
}

function idIn({ context }: PageRequest): string {
	return encodeURIComponent(context.req.param('id') ?? '');
}

function webhookPage(request: PageRequest): PageContent {
	const { service, context } = request;
	const webhooks = service.webhooks.list();
	const state = deliveryStates.find((name) => name === context.req.query('state'));
	const body = html`<p class="lead">
			Events go to the addresses registered here, signed, until they are taken or given up after six
			more tries.
		</p>
		<h2>Addresses</h2>
		${webhooks.length === 0
			? html`<p class="empty">
					No address is registered. A program does that with POST /v1/webhooks, a person below.
				</p>`
			: ''}
		<div class="cards">${webhooks.map((webhook) => webhookCard(request, webhook))}</div>
		${registration(request)}
		<h2 id="deliveries">Deliveries</h2>
		${live('delivery-list', deliveryList(request, state))}`;
	return { title: 'Webhooks', section: 'Webhooks', body };
}

function webhookCard(request: PageRequest, webhook: JsonObject): Html {
	const id = readText(webhook.id) ?? '';
	const active = webhook.status === 'active';
	const path = `${home}/${encodeURIComponent(id)}`;
	const [test, status, removal] = ['test', 'status', 'delete'].map(
		(action) => new Form(request, `${path}/${action}`),
	);
	const secrets = Array.isArray(webhook.secrets) ? webhook.secrets.map(String) : [];
	const events = Array.isArray(webhook.events) ? webhook.events.map(String) : [];
	const organization = `${readText(webhook.organization_id)}, ${readText(webhook.environment)} data`;
	return html`<section class="card" aria-labelledby="${id}">
		<h3 id="${id}">
			<bdi>${readText(webhook.url)}</bdi> ${badge(
				active ? 'active' : 'disabled',
				active ? 'good' : 'warn',
			)}
		</h3>
		${facts([
			['ID', copyable(formatId(request.service, id), 'the webhook ID')],
			['Of', userText(organization)],
			['Events', html`${events.length === eventKinds.length ? 'all' : events.join(', ')}`],
			['Secret', html`${secrets.map((secret) => copyable(secret, 'the secret'))}`],
			['Registered', timestamp(readText(webhook.created_at))],
		])}
		<div class="actions">
			${active
				? test?.html(
						test.choice({ name: 'event', label: 'Event', choices: kinds }),
						'Send a test event',
						'plain',
					)
				: ''}
			${status?.html(
				status.hidden('status', active ? 'disabled' : 'active'),
				active ? 'Disable' : 'Activate',
				'plain',
			)}
			${removal?.html([], 'Delete', 'risky')}
		</div>
	</section>`;
}

function registration(request: PageRequest): Html {
	const form = new Form(request, home);
	return html`<details ${request.refused?.action === home ? 'open' : ''}>
		<summary>Register an address</summary>
		${form.html(
			[
				form.choice({
					name: 'in',
					label: 'Organization and data',
					choices: listDatasets(request.service),
				}),
				form.input({
					name: 'url',
					label: 'Address',
					type: 'url',
					required: true,
					hint: 'Such as http://127.0.0.1:5678/webhook/…, where a trigger waits.',
				}),
				form.boxes('events', 'Events', kinds, [...eventKinds]),
				form.input({
					name: 'secret',
					label: 'Secret (optional)',
					hint: 'Without one, the sandbox makes one.',
				}),
			],
			'Register',
		)}
	</details>`;
}
