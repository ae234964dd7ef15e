import { html } from 'hono/html';
import type { Fault } from '../platform/fault-registry.ts';
import { faultCompressions, faultMoments } from '../requests/faults.ts';
import { eventKinds } from '../webhooks/events.ts';
import { webhookFaultKinds } from '../webhooks/faults.ts';
import { badge, formatValue, table, toWords, userText } from './elements.ts';
import type { Html } from './elements.ts';
import { describeFault, momentNames, webhookFaultNames } from './fault-text.ts';
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

function listOperations({ service }: PageRequest) {
	const operations = service.contract.operations.map(({ id, method, path, access }) => ({
		value: id,
		label: `${method} ${path}`,
		group: toWords(access),
	}));
	return [{ value: '*', label: 'every request' }, ...operations];
}

function number(form: Form, name: string, label: string, hint?: string, min = 0): Html {
	return form.input({ name, label, type: 'number', min, ...(hint !== undefined && { hint }) });
}

function frequencyFields(form: Form): Html[] {
	return [
		number(form, 'after', 'Matches that pass first', 'None, if empty.', 1),
		number(form, 'times', 'How many times', 'Always, if empty.', 1),
		form.input({
			name: 'probability',
			label: 'Probability',
			type: 'number',
			min: 0,
			max: 1,
			step: 'any',
			hint: 'From 0 to 1. Always, if empty.',
		}),
		number(form, 'seed', 'Seed', 'The same seed strikes the same ones again.'),
	];
}

function requestForm(request: PageRequest): Html {
	const form = new Form(request, home);
	const organizations = request.service.organizations
		.all()
		.map(({ id, name }) => ({ value: id, label: name }));
	const text = (name: string, label: string, hint?: string) =>
		form.input({ name, label, ...(hint !== undefined && { hint }) });
	const choice = (name: string, label: string, values: [value: string, label: string][]) =>
		form.choice({
			name,
			label,
			choices: [['', 'unchanged'], ...values].map(([value = '', words = '']) => ({
				value,
				label: words,
			})),
		});
	const moments = faultMoments.map((one): [string, string] => [one, momentNames.get(one) ?? one]);
	return html`<details ${request.refused?.action === home ? 'open' : ''}>
		<summary>Add another fault of requests</summary>
		${form.html(
			html`<fieldset>
					<legend>Requests</legend>
					<div class="grid">
						${form.choice({
							name: 'operation',
							label: 'Operation',
							choices: listOperations(request),
						})}
						${text('id', 'ID in the address', 'Any, if empty.')}
						${form.choice({
							name: 'organization_id',
							label: 'Organization',
							choices: [{ value: '', label: 'any' }, ...organizations],
						})}
						${text('request_headers', 'Header', 'Such as X-Test: yes, or X-Test: * for any value.')}
					</div>
				</fieldset>
				<fieldset>
					<legend>Answer</legend>
					<div class="grid">
						${number(form, 'delay_ms', 'Wait first (milliseconds)')}
						${form.input({
							name: 'status',
							label: 'Status',
							type: 'number',
							min: 200,
							max: 599,
							hint: 'Such as 503. The operation is not run.',
						})}
						${text('code', 'Error code', 'In the error object of that answer.')}
						${text('retry_after', 'Retry-After', 'Seconds, or a date.')}
						${text('text', 'Text', 'Instead of the error object.')}
						${text('content_type', 'Type of the text', 'text/html, if empty.')}
						${choice('early', 'Time of the answer', [['true', 'before the body arrives']])}
						${text('headers', 'Header of the answer', 'Such as Server: nginx.')}
					</div>
				</fieldset>
				<fieldset>
					<legend>Connection and body</legend>
					<div class="grid">
						${choice('connection', 'Close the connection', moments)}
						${choice('silent', 'Go silent', moments)}
						${choice('body', 'Body', [
							['truncated', 'a part of it, as if it were complete'],
							['slow', 'sent slowly'],
						])}
						${number(form, 'cut_at', 'Cut the body at (bytes)', 'Half of it, if empty.')}
						${number(form, 'bytes_per_second', 'Bytes a second', 'For a slow body.', 1)}
						${choice(
							'compress',
							'Compression',
							faultCompressions.map((one): [string, string] => [one, one]),
						)}
					</div>
				</fieldset>
				<fieldset>
					<legend>Frequency</legend>
					<div class="grid">${frequencyFields(form)}</div>
				</fieldset>`,
			'Add the fault',
		)}
	</details>`;
}

function deliveryForm(request: PageRequest): Html {
	const form = new Form(request, '/_sandbox/webhook-faults');
	const kinds = webhookFaultKinds.map((kind) => ({
		value: kind,
		label: `It ${webhookFaultNames.get(kind) ?? kind}`,
	}));
	const events = eventKinds.map((kind) => ({ value: kind, label: kind }));
	const webhooks = request.service.webhooks
		.list()
		.map(({ id, url }) => ({ value: formatValue(id), label: formatValue(url) }));
	return html`<details ${request.refused?.action === '/_sandbox/webhook-faults' ? 'open' : ''}>
		<summary>Add a fault of deliveries</summary>
		${form.html(
			html`<div class="grid">
				${form.choice({ name: 'kind', label: 'What goes wrong', choices: kinds })}
				${form.choice({
					name: 'event',
					label: 'Event',
					choices: [{ value: '', label: 'any' }, ...events],
				})}
				${form.choice({
					name: 'webhook_id',
					label: 'Webhook',
					choices: [{ value: '', label: 'any' }, ...webhooks],
				})}
				${form.input({
					name: 'delay_ms',
					label: 'Delay (milliseconds)',
					type: 'number',
					min: 1,
					hint: 'For a late delivery. 60000, if empty.',
				})}
				${frequencyFields(form)}
			</div>`,
			'Add the fault',
		)}
	</details>`;
}
