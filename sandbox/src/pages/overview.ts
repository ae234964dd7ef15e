import { html } from 'hono/html';
import type { SeededOrganization } from '../accounts/organizations.ts';
import { recordsPath } from './data.ts';
import { badge, copyable, facts, live } from './elements.ts';
import type { Html } from './elements.ts';
import { Form } from './forms.ts';
import { entries } from './requests.ts';
import type { PageRoutes } from './routes.ts';
import { bodyOf, command } from './request.ts';
import type { PageContent, PageRequest } from './request.ts';

/** How many organizations beside the two that every sandbox has are listed. */
const othersListed = 20;

/** The first page: where the service is, who may call it, and what went on last. */
export function overviewPages(routes: PageRoutes): void {
	routes.form('/organizations', overview, async (request, fields) => {
		await command(request, 'POST', '/organizations', bodyOf(fields, ['name', 'plan']));
		return '/_sandbox/?done=organization-created#others';
	});
}

export function overview(request: PageRequest): PageContent {
	const { service } = request;
	const { url, organizations, tokens } = service;
	const seeded = organizations.seeded();
	const others = organizations.all().filter(({ id }) => !seeded.some((one) => one.id === id));
	const body = html`<p class="lead">
			The dossier service, running on this machine. Whatever calls it needs the base URL, an
			organization and one of its keys.
		</p>
		${facts([
			['Base URL', copyable(`${url}/v1`, 'the base URL')],
			['Operator token', copyable(tokens.operatorToken(), 'the operator token')],
		])}
		<h2>Organizations</h2>
		<div class="cards">${seeded.map((one) => organizationCard(request, one))}</div>
		${othersPart(request, others)}
		<h2>Right now</h2>
		${live('now', html`${now(request)}${entries(service.journal.list({ limit: 5 }), 'latest')}`)}
		<p><a href="/_sandbox/journal">All requests</a></p>`;
	return { title: 'Overview', section: 'Overview', body };
}

function organizationCard({ service }: PageRequest, organization: SeededOrganization): Html {
	const { id, name, plan, liveKey, testKey, tenantId, businessUnitId, customerToken } =
		organization;
	const refused =
		plan === 'starter' || (plan !== 'enterprise' && service.options.environment === 'sandbox');
	return html`<section class="card" aria-labelledby="${id}">
		<h3 id="${id}"><bdi>${name}</bdi> ${badge(plan, refused ? 'warn' : 'plain')}</h3>
		${refused
			? html`<p class="hint">Its plan has no access here: every call is refused with 403.</p>`
			: ''}
		${facts([
			['Organization ID', copyable(id, 'the organization ID')],
			['Live key', copyable(liveKey, 'the live key')],
			['Test key', copyable(testKey, 'the test key')],
		])}
		<details>
			<summary>Signing in to /api/v1</summary>
			${facts([
				['Customer token', copyable(customerToken, 'the customer token')],
				['Tenant ID', copyable(tenantId, 'the tenant ID')],
				['Business unit ID', copyable(businessUnitId, 'the business unit ID')],
			])}
		</details>
		<p class="links">
			<a href="${recordsPath(id, 'live')}/dossiers">Live records</a>
			<a href="${recordsPath(id, 'test')}/dossiers">Test records</a>
		</p>
	</section>`;
}

function othersPart(request: PageRequest, others: SeededOrganization[]): Html {
	const form = new Form(request, '/_sandbox/organizations');
	const plans = ['enterprise', 'business', 'starter'].map((value) => ({ value, label: value }));
	return html`<details id="others" ${request.refused ? 'open' : ''}>
		<summary>Further organizations (${others.length})</summary>
		${form.html(
			[
				form.input({ name: 'name', label: 'Name', maxlength: 200 }),
				form.choice({
					name: 'plan',
					label: 'Plan',
					choices: plans,
					hint: 'Starter stands for every plan below Business, which has no access.',
				}),
			],
			'Create an organization',
			'plain',
		)}
		${others.length > othersListed
			? html`<p class="hint">The ${othersListed} newest are listed.</p>`
			: ''}
		<div class="cards">
			${others
				.toReversed()
				.slice(0, othersListed)
				.map((one) => organizationCard(request, one))}
		</div>
	</details>`;
}

function now({ service }: PageRequest): Html {
	const { pending, delivered, failed } = service.deliveryLog.counts();
	const faults = service.faults.list().length + service.webhookFaults.list().length;
	return html`<ul class="counts">
		<li><a href="/_sandbox/webhooks">${delivered} delivered</a></li>
		<li><a href="/_sandbox/webhooks?state=pending">${pending} waiting</a></li>
		<li><a href="/_sandbox/webhooks?state=failed">${failed} failed</a> webhook deliveries</li>
		<li>
			<a href="/_sandbox/faults">${faults === 1 ? '1 fault' : `${faults} faults`}</a> in force
		</li>
	</ul>`;
}
