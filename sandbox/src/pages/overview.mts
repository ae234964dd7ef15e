import { html } from 'hono/html';
import type { SeededOrganization } from '../accounts/organizations.mts';
import { countFaults } from '../control/faults.mts';
import { listEntries } from '../control/entries.mts';
import { gauges, strip } from './activity.mts';
import { formatCurl, keyHeaders } from './curl.mts';
import { badge, codeBlock, copyable, facts, formatCount, live } from './elements.mts';
import type { Html } from './elements.mts';
import { button, Form } from './forms.mts';
import type { PageContent, PageRequest } from './request.mts';
import { hasUnknownFields, journalEntries } from './requests.mts';
import type { PageRoutes } from './routes.mts';

/** How many further organizations are listed. */
const maxListed = 20;

/** The first page: what to enter in n8n, keys and tokens, and the latest requests. */
export function addOverviewPages(routes: PageRoutes): void {
	routes.page('/', renderOverview);
	routes.commands(renderOverview, [
		['/organizations', 'post /organizations', '/?done=organization-created#others'],
		['/examples', 'post /examples', '/records?done=filled'],
	]);
}

function renderOverview(request: PageRequest): PageContent {
	const { service } = request;
	const { organizations, tokens } = service;
	const seeded = organizations.seeded();
	const others = organizations.all().filter(({ id }) => !seeded.some((one) => one.id === id));
	const [first] = seeded;
	const body = html`<p class="lead">
			The dossier service on this machine. A client needs the base URL, an organization and one of
			its keys.
		</p>
		${first ? startCards(request, first) : ''}
		<h2>Right now</h2>
		${live(
			'now',
			html`${gauges(service)} ${strip(service)}
			${activity(request)}${journalEntries(service, listEntries(service, { limit: 5 }), 'latest')}`,
		)}
		<p><a href="/_sandbox/requests">All requests</a></p>
		<h2>Organizations</h2>
		<div class="cards">
			${seeded.map((one) => organizationCard(request, one))}
			<section class="card" aria-labelledby="operator">
				<h3 id="operator">Operator of the service</h3>
				${facts([['Operator token', copyable(tokens.operatorToken(), 'the operator token')]])}
				<p class="hint">For the operations below /api/v1/admin.</p>
			</section>
		</div>
		${otherOrganizations(request, others)}`;
	return { title: 'Overview', section: 'Overview', body };
}

/** The cards for the start: the fields of the credential, a first request, and data. */
function startCards(request: PageRequest, organization: SeededOrganization): Html {
	const { url } = request.service;
	const { id, name, testKey, plan } = organization;
	const headers = keyHeaders(organization);
	const create = formatCurl(
		'POST',
		`${url}/v1/dossiers`,
		[...headers, ['Content-Type', 'application/json']],
		JSON.stringify({ title: 'Lease of the Hafenstrasse office' }),
	);
	const sends = { organization_id: id, environment: 'test', tasks: '3', portal_users: '3' };
	return html`<div class="cards">
		<section class="card" aria-labelledby="n8n">
			<h2 id="n8n" class="small">Enter this in n8n</h2>
			<p class="hint">Create a credential of the type “Dossier API”.</p>
			${facts([
				['Environment', 'Sandbox'],
				['Sandbox URL', copyable(`${url}/v1`, 'the sandbox URL for n8n')],
				['API Key', copyable(testKey, 'the API key for n8n')],
				['Organization ID', copyable(id, 'the organization ID for n8n')],
			])}
			${plan === 'enterprise'
				? html`<p class="hint">
						Nothing else is required. To send as fast as the Enterprise plan allows, turn on
						<strong>More Settings</strong> and choose it under <strong>Rate Limit</strong>.
					</p>`
				: ''}
			${button(
				'/_sandbox/examples',
				html`Fill with examples<span class="unseen">: test data of ${name}</span>`,
				{ mood: 'main', sends },
			)}
			<p class="hint">
				Adds ten dossiers with two documents each, three tasks and three portal users to the test
				data.
			</p>
		</section>
		<section class="card" aria-labelledby="shell">
			<h2 id="shell" class="small">Or try it in a shell</h2>
			${codeBlock(create, 'the command that creates a dossier')}
			${codeBlock(
				formatCurl('GET', `${url}/v1/dossiers`, headers),
				'the command that lists dossiers',
			)}
			<p class="hint">
				Its contract, for reference pages, client generators and mock servers:
				<a href="/_sandbox/openapi.yaml" download>openapi.yaml</a>,
				<a href="/_sandbox/openapi.json" download>openapi.json</a>.
			</p>
		</section>
	</div>`;
}

function organizationCard({ service }: PageRequest, organization: SeededOrganization): Html {
	const { id, name, plan, liveKey, testKey, tenantId, businessUnitId, customerToken } =
		organization;
	const isRefused =
		plan === 'starter' || (plan !== 'enterprise' && service.options.environment === 'sandbox');
	return html`<section class="card" aria-labelledby="${id}">
		<h3 id="${id}"><bdi>${name}</bdi> ${badge(plan, isRefused ? 'warn' : 'plain')}</h3>
		${isRefused ? html`<p class="hint">Its plan has no access here. Every call gets 403.</p>` : ''}
		${facts([
			['Organization ID', copyable(id, 'the organization ID')],
			['Test key', copyable(testKey, 'the test key')],
			['Live key', copyable(liveKey, 'the live key')],
		])}
		<details>
			<summary>Customer login for /api/v1</summary>
			${facts([
				['Customer token', copyable(customerToken, 'the customer token')],
				['Tenant ID', copyable(tenantId, 'the tenant ID')],
				['Business unit ID', copyable(businessUnitId, 'the business unit ID')],
			])}
		</details>
		<p class="links">
			<a href="/_sandbox/records/${id}/test/dossiers">Test records</a>
			<a href="/_sandbox/records/${id}/live/dossiers">Live records</a>
		</p>
	</section>`;
}

function otherOrganizations(request: PageRequest, others: SeededOrganization[]): Html {
	const action = '/_sandbox/organizations';
	const form = new Form(request, action);
	return html`<details id="others" ${request.refused?.action === action ? 'open' : ''}>
		<summary>Further organizations (${others.length})</summary>
		${form.html(
			[
				form.input({ name: 'name', label: 'Name', maxlength: 200 }),
				form.choice({
					name: 'plan',
					label: 'Plan',
					choices: ['enterprise', 'business', 'starter'],
					hint: 'Starter represents all plans below Business, which have no access.',
				}),
			],
			'Create an organization',
			'plain',
		)}
		${others.length > maxListed
			? html`<p class="hint">The latest ${maxListed} are listed.</p>`
			: ''}
		<div class="cards">
			${others
				.toReversed()
				.slice(0, maxListed)
				.map((one) => organizationCard(request, one))}
		</div>
	</details>`;
}

function activity({ service }: PageRequest): Html {
	const { pending, delivered, failed } = service.deliveryLog.counts();
	const unknown = listEntries(service, { limit: 100 }).filter(hasUnknownFields).length;
	return html`<ul class="counts">
		<li><a href="/_sandbox/webhooks">${delivered} delivered</a></li>
		<li><a href="/_sandbox/webhooks?state=pending">${pending} waiting</a></li>
		<li><a href="/_sandbox/webhooks?state=failed">${failed} failed</a> webhook deliveries</li>
		<li><a href="/_sandbox/faults">${formatCount(countFaults(service), 'fault')}</a> in force</li>
		${unknown === 0
			? ''
			: html`<li>
					<a href="/_sandbox/requests?outcome=unknown">${formatCount(unknown, 'request')}</a> with
					unknown fields
				</li>`}
	</ul>`;
}
