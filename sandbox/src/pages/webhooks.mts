import { html } from 'hono/html';
import { readText } from '../platform/json.mts';
import type { JsonObject } from '../platform/json.mts';
import { eventKinds } from '../webhooks/events.mts';
import { formatId } from './datasets.mts';
import { deliveryList, deliveryStates, redeliver } from './deliveries.mts';
import { badge, copyable, facts, live, timestamp, userText } from './elements.mts';
import type { Html } from './elements.mts';
import { button, Form } from './forms.mts';
import { callControl } from './request.mts';
import type { PageContent, PageRequest } from './request.mts';
import type { PageRoutes } from './routes.mts';

const home = '/_sandbox/webhooks';

/** The addresses that events are sent to, and the deliveries. */
export function addWebhookPages(routes: PageRoutes): void {
	routes.page('/webhooks', renderWebhooks);
	routes.commands(renderWebhooks, [
		['/webhooks', 'post /webhooks', '/webhooks?done=registered'],
		['/webhooks/:id/status', 'patch /webhooks/{id}', '/webhooks?done=webhook-changed'],
		['/webhooks/:id/delete', 'delete /webhooks/{id}', '/webhooks?done=webhook-deleted'],
	]);
	routes.form('/webhooks/:id/test', renderWebhooks, async (request, fields) => {
		await callControl(request, 'post /webhooks/{id}/test', fields);
		await request.service.dispatch.idle(1500);
		return `${home}?done=tested#deliveries`;
	});
	routes.form('/deliveries/:id/redeliver', renderWebhooks, redeliver);
}

function renderWebhooks(request: PageRequest): PageContent {
	const { service, context } = request;
	const webhooks = service.webhooks.list();
	const state = deliveryStates.find((name) => name === context.req.query('state'));
	const body = html`<p class="lead">
			The sandbox sends signed events to the addresses registered here. If a delivery fails, it
			tries six more times.
		</p>
		<h2>Addresses</h2>
		${webhooks.length === 0 ? firstSteps(request) : ''}
		<div class="cards">${webhooks.map((webhook) => webhookCard(request, webhook))}</div>
		${registration(request)}
		<h2 id="deliveries">Deliveries</h2>
		${live('delivery-list', deliveryList(request, state))}`;
	return { title: 'Webhooks', section: 'Webhooks', body };
}

function firstSteps({ service: { organizations, url } }: PageRequest): Html {
	const [first] = organizations.seeded();
	return html`<p class="empty">
			There are no webhooks yet. A program registers one with POST /v1/webhooks, a person below.
		</p>
		${first
			? html`${button(home, 'Receive here', {
						mood: 'main',
						sends: { organization_id: first.id, url: `${url}/_sandbox/api/receiver` },
					})}
					<p class="hint">
						Registers an address of this sandbox that accepts every event of ${first.name}, to see
						deliveries without a receiver of your own.
					</p>`
			: ''}`;
}

function webhookCard(request: PageRequest, webhook: JsonObject): Html {
	const id = readText(webhook.id) ?? '';
	const active = webhook.status === 'active';
	const path = `${home}/${encodeURIComponent(id)}`;
	const test = new Form(request, `${path}/test`);
	const secrets = Array.isArray(webhook.secrets) ? webhook.secrets.map(String) : [];
	const events = Array.isArray(webhook.events) ? webhook.events.map(String) : [];
	const { name } = request.service.organizations.find(readText(webhook.organization_id) ?? '');
	return html`<section class="card" aria-labelledby="${id}">
		<h3 id="${id}">
			<bdi>${readText(webhook.url)}</bdi> ${badge(
				active ? 'active' : 'disabled',
				active ? 'good' : 'warn',
			)}
		</h3>
		${facts([
			['ID', copyable(formatId(request.service, id), 'the webhook ID')],
			['Belongs to', userText(`${name}, ${readText(webhook.environment)} data`)],
			['Events', html`${events.length === eventKinds.length ? 'all' : events.join(', ')}`],
			['Secret', html`${secrets.map((secret) => copyable(secret, 'the secret'))}`],
			['Registered', timestamp(readText(webhook.created_at))],
		])}
		<div class="actions">
			${active
				? test.html(
						test.choice({ name: 'event', label: 'Event', choices: listKinds(events) }),
						'Send a test event',
						'plain',
					)
				: ''}
			${button(`${path}/status`, active ? 'Disable' : 'Activate', {
				sends: { status: active ? 'disabled' : 'active' },
			})}
			${button(`${path}/delete`, 'Delete', { mood: 'risky' })}
		</div>
	</section>`;
}

/** The kinds of event, those that a webhook wants first. */
function listKinds(wanted: string[]) {
	const others = eventKinds.filter((kind) => !wanted.includes(kind));
	return [
		...wanted.map((value) => ({ value, label: value, group: 'Events that it wants' })),
		...others.map((value) => ({ value, label: value, group: 'Events that it does not want' })),
	];
}

function registration(request: PageRequest): Html {
	const form = new Form(request, home);
	return html`<details ${request.refused?.action === home ? 'open' : ''}>
		<summary>Register an address</summary>
		${form.html(
			[
				form.choice({
					name: 'organization_id',
					label: 'Organization',
					choices: request.service.organizations
						.all()
						.map(({ id, name }) => ({ value: id, label: name })),
				}),
				form.choice({
					name: 'environment',
					label: 'Data',
					choices: ['live', 'test'],
				}),
				form.input({
					name: 'url',
					label: 'Address',
					type: 'url',
					required: true,
					hint: 'Such as http://127.0.0.1:5678/webhook/…, the address of a trigger in n8n.',
				}),
				form.boxes('events[]', 'Events', [...eventKinds]),
				form.input({
					name: 'secret',
					label: 'Secret (optional)',
					hint: 'If empty, the sandbox creates one.',
				}),
			],
			'Register',
		)}
	</details>`;
}
