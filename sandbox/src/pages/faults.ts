import { html } from 'hono/html';
import type { Fault } from '../platform/fault-registry.ts';
import { badge, table, userText } from './elements.ts';
import type { Html } from './elements.ts';
import { deliveryForm, listOperations, requestForm } from './fault-forms.ts';
import { describeFault } from './fault-text.ts';
import { Form } from './forms.ts';
import { callControl } from './request.ts';
import type { PageContent, PageRequest } from './request.ts';
import type { PageRoutes } from './routes.ts';

const home = '/_sandbox/faults';

const errorPage =
	'<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>';

/** The faults that people try first. */
const presets = new Map<string, { label: string; hint: string; plan: Record<string, string> }>([
	[
		'unavailable',
		{
			label: '503 twice',
			hint: 'A client that retries succeeds on the third attempt.',
			plan: { status: '503', times: '2' },
		},
	],
	[
		'proxy',
		{
			label: "A proxy's error page",
			hint: 'Answers 502 with HTML instead of the error object, once.',
			plan: { status: '502', text: errorPage, content_type: 'text/html', times: '1' },
		},
	],
	[
		'limited',
		{
			label: '429',
			hint: 'Refuses the next request, with Retry-After: 5.',
			plan: { status: '429', code: 'RATE_LIMIT_EXCEEDED', retry_after: '5', times: '1' },
		},
	],
	[
		'stall',
		{
			label: 'A stall',
			hint: 'Accepts the next request and never answers it.',
			plan: { silent: 'before', times: '1' },
		},
	],
]);

/** What goes wrong on purpose, with requests and with deliveries. */
export function addFaultPages(routes: PageRoutes): void {
	routes.page('/faults', renderFaults);

	routes.form('/faults/preset', renderFaults, async (request, fields) => {
		const plan = presets.get(fields.get('preset') ?? '')?.plan;
		if (!plan) throw new RangeError('Choose one of the presets.');
		const body = new URLSearchParams({ operation: fields.get('operation') ?? '*', ...plan });
		await callControl(request, 'POST', '/faults', body);
		return `${home}?done=fault-added`;
	});

	for (const kind of ['faults', 'webhook-faults']) {
		routes.command(`/${kind}`, renderFaults, {
			send: `POST /${kind}`,
			then: `/faults?done=fault-added#${kind}`,
		});
		routes.command(`/${kind}/:id/remove`, renderFaults, {
			send: `DELETE /${kind}/:id`,
			then: `/faults?done=fault-removed#${kind}`,
		});
	}

	routes.form('/faults/clear', renderFaults, async (request) => {
		await callControl(request, 'DELETE', '/faults');
		await callControl(request, 'DELETE', '/webhook-faults');
		return `${home}?done=faults-removed`;
	});
}

function renderFaults(request: PageRequest): PageContent {
	const { service } = request;
	const [requests, deliveries] = [service.faults.list(), service.webhookFaults.list()];
	const clear = new Form(request, `${home}/clear`);
	const body = html`<p class="lead">
			Make requests and deliveries fail on purpose. A fault stays in force until you remove it, it
			is spent, or the sandbox ends.
		</p>
		${requests.length + deliveries.length > 0
			? html`<div class="actions">${clear.html([], 'Remove all faults', 'risky')}</div>`
			: ''}
		<h2 id="faults">Requests</h2>
		${presetForm(request)} ${faultTable(request, 'faults', requests)} ${requestForm(request)}
		<h2 id="webhook-faults">Webhook deliveries</h2>
		${faultTable(request, 'webhook-faults', deliveries)} ${deliveryForm(request)}`;
	return { title: 'Faults', section: 'Faults', body };
}

function presetForm(request: PageRequest): Html {
	const form = new Form(request, `${home}/preset`);
	return html`<section class="card presets" aria-label="Presets">
		${form.wrap(
			html`${form.choice({
					name: 'operation',
					label: 'Fail these requests',
					choices: listOperations(request),
				})}
				<ul class="plain-list">
					${[...presets].map(
						([name, { label, hint }]) =>
							html`<li>
								<button type="submit" name="preset" value="${name}" class="plain">${label}</button>
								<span class="hint">${hint}</span>
							</li>`,
					)}
				</ul>`,
		)}
	</section>`;
}

function faultTable(
	request: PageRequest,
	kind: 'faults' | 'webhook-faults',
	list: Fault<object>[],
): Html {
	return table(
		kind === 'faults' ? 'Faults of requests' : 'Faults of deliveries',
		[
			{ head: 'What goes wrong', cell: ({ plan }) => userText(describeFault({ ...plan })) },
			{
				head: 'State',
				cell: ({ spent }) => (spent ? badge('spent') : badge('in force', 'warn')),
			},
			{ head: 'Hits', kind: 'number', cell: ({ hits }) => String(hits) },
			{
				head: 'Remove',
				kind: 'action',
				cell: ({ id }) =>
					new Form(request, `/_sandbox/${kind}/${id}/remove`).html(
						[],
						html`Remove<span class="unseen"> ${id}</span>`,
						'plain',
					),
			},
		],
		list,
		'There are no faults.',
	);
}
