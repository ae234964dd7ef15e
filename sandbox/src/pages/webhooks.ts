import { html } from 'hono/html';
import { readText } from '../platform/json.ts';
import type { JsonObject } from '../platform/json.ts';
import { eventKinds } from '../webhooks/events.ts';
import { chosen, datasetChoices, idShown } from './data.ts';
import { deliveryList, deliveryStates, redelivery } from './deliveries.ts';
import { badge, copyable, facts, live, moment, stored } from './elements.ts';
import type { Html } from './elements.ts';
import { Form } from './forms.ts';
import type { PageRoutes } from './routes.ts';
import { command, one } from './visit.ts';
import type { Sheet, Visit } from './visit.ts';

const home = '/_sandbox/webhooks';
const kinds = eventKinds.map((kind) => ({ value: kind, label: kind }));

/** Where events are sent, and what became of sending them. */
export function webhookPages(routes: PageRoutes): void {
	routes.page('/webhooks', webhookPage);

	routes.form('/webhooks', webhookPage, async (visit, fields) => {
		await command(visit, 'POST', '/webhooks', {
			...chosen(one(fields, 'in')),
			url: one(fields, 'url') ?? '',
			events: fields.get('events') ?? [],
			secret: one(fields, 'secret'),
		});
		return `${home}?done=registered`;
	});

	routes.form('/webhooks/:id/test', webhookPage, async (visit, fields) => {
		await command(visit, 'POST', `/webhooks/${idIn(visit)}/test`, { event: one(fields, 'event') });
		await visit.service.dispatch.idle(1500);
		return `${home}?done=tested#deliveries`;
	});

	routes.form('/webhooks/:id/status', webhookPage, async (visit, fields) => {
		await command(visit, 'PATCH', `/webhooks/${idIn(visit)}`, { status: one(fields, 'status') });
		return `${home}?done=webhook-changed`;
	});

	routes.form('/webhooks/:id/delete', webhookPage, async (visit) => {
		await command(visit, 'DELETE', `/webhooks/${idIn(visit)}`);
		return `${home}?done=webhook-deleted`;
	});

	routes.form('/deliveries/:id/redeliver', webhookPage, redelivery);
}

function idIn({ context }: Visit): string {
	return encodeURIComponent(context.req.param('id') ?? '');
}

function webhookPage(visit: Visit): Sheet {
	const { service, context } = visit;
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
		<div class="cards">${webhooks.map((webhook) => webhookCard(visit, webhook))}</div>
		${registration(visit)}
		<h2 id="deliveries">Deliveries</h2>
		${live('delivery-list', deliveryList(visit, state))}`;
	return { title: 'Webhooks', section: 'Webhooks', body };
}

function webhookCard(visit: Visit, webhook: JsonObject): Html {
	const id = readText(webhook.id) ?? '';
	const active = webhook.status === 'active';
	const path = `${home}/${encodeURIComponent(id)}`;
	const [test, status, removal] = ['test', 'status', 'delete'].map(
		(deed) => new Form(visit, `${path}/${deed}`),
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
			['ID', copyable(idShown(visit.service, id), 'the webhook ID')],
			['Of', stored(organization)],
			['Events', html`${events.length === eventKinds.length ? 'all' : events.join(', ')}`],
			['Secret', html`${secrets.map((secret) => copyable(secret, 'the secret'))}`],
			['Registered', moment(readText(webhook.created_at))],
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

function registration(visit: Visit): Html {
	const form = new Form(visit, home);
	return html`<details ${visit.refused?.action === home ? 'open' : ''}>
		<summary>Register an address</summary>
		${form.html(
			[
				form.choice({
					name: 'in',
					label: 'Organization and data',
					choices: datasetChoices(visit.service),
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
