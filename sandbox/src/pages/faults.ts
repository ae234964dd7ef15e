import { html } from 'hono/html';
import { webhookFaultKinds } from '../webhooks/faults.ts';
import type { JsonObject } from '../platform/json.ts';
import { eventKinds } from '../webhooks/events.ts';
import { toWords } from './data.ts';
import { userText, table, formatValue } from './elements.ts';
import type { Html } from './elements.ts';
import { Form } from './forms.ts';
import type { PageRoutes } from './routes.ts';
import { bodyOf, command } from './request.ts';
import type { PageContent, PageRequest } from './request.ts';

const home = '/_sandbox/faults';

/** A fault of either kind. */
interface Shown {
	id: string;
	plan: object;
	hits: number;
}

/** What is to go wrong on purpose, with requests and with deliveries. */
export function faultPages(routes: PageRoutes): void {
	routes.page('/faults', faults);

	routes.form('/faults', faults, async (request, fields) => {
		const plan = bodyOf(
			fields,
			['operation', 'code', 'text', 'content_type', 'retry_after', 'connection', 'body'],
			['status', 'delay_ms', 'bytes_per_second', 'times', 'probability', 'seed'],
		);
		await command(request, 'POST', '/faults', plan);
		return `${home}?done=fault-added`;
	});

	routes.form('/webhook-faults', faults, async (request, fields) => {
		const plan = bodyOf(
			fields,
			['kind', 'event', 'webhook_id'],
			['delay_ms', 'times', 'probability', 'seed'],
		);
		await command(request, 'POST', '/webhook-faults', plan);
		return `${home}?done=fault-added#deliveries`;
	});

	for (const kind of ['faults', 'webhook-faults'] as const) {
		routes.form(`/${kind}/:id/remove`, faults, async (request) => {
			const id = encodeURIComponent(request.context.req.param('id') ?? '');
			await command(request, 'DELETE', `/${kind}/${id}`);
			return `${home}?done=fault-removed`;
		});
	}

	routes.form('/faults/clear', faults, async (request) => {
		await command(request, 'DELETE', '/faults');
		await command(request, 'DELETE', '/webhook-faults');
		return `${home}?done=faults-removed`;
	});
}

function faults(request: PageRequest): PageContent {
	const { service } = request;
	const [requests, deliveries] = [service.faults.list(), service.webhookFaults.list()];
	const clear = new Form(request, `${home}/clear`);
	const body = html`<p class="lead">
			What is to go wrong on purpose. A fault is in force until it is removed, has hit as often as
			it was to, or the sandbox ends.
		</p>
		${requests.length + deliveries.length > 0
			? html`<div class="actions">${clear.html([], 'Remove all faults', 'risky')}</div>`
			: ''}
		<h2>Requests</h2>
		${faultTable(request, 'faults', requests)} ${requestForm(request)}
		<h2 id="deliveries">Webhook deliveries</h2>
		${faultTable(request, 'webhook-faults', deliveries)} ${deliveryForm(request)}`;
	return { title: 'Faults', section: 'Faults', body };
}

function faultTable(request: PageRequest, kind: 'faults' | 'webhook-faults', list: Shown[]): Html {
	return table(
		kind === 'faults' ? 'Faults of requests' : 'Faults of deliveries',
		[
			{ head: 'What goes wrong', cell: ({ plan }) => userText(planShown({ ...plan })) },
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
		'None.',
	);
}

function planShown(plan: JsonObject): string {
	const set = Object.entries(plan).filter(([, value]) => value !== undefined);
	return set
		.map(([name, value]) => `${toWords(name).toLowerCase()}: ${formatValue(value)}`)
		.join(', ');
}

function frequency(form: Form): Html[] {
	return [
		form.input({
			name: 'times',
			label: 'How many times',
			type: 'number',
			min: 1,
			hint: 'Always, if empty.',
		}),
		form.input({
			name: 'probability',
			label: 'Probability',
			type: 'number',
			min: 0,
			max: 1,
			step: 'any',
			hint: 'From 0 to 1.',
		}),
		form.input({
			name: 'seed',
			label: 'Seed',
			type: 'number',
			min: 0,
			hint: 'The same seed hits the same ones.',
		}),
	];
}

function requestForm(request: PageRequest): Html {
	const form = new Form(request, home);
	const operations = request.service.contract.operations.map(({ id, method, path, access }) => ({
		value: id,
		label: `${method} ${path}`,
		group: toWords(access),
	}));
	const none = { value: '', label: 'as it should be' };
	return html`<details ${request.refused?.action === home ? 'open' : ''}>
		<summary>Add a fault of requests</summary>
		${form.html(
			[
				form.choice({
					name: 'operation',
					label: 'Requests',
					choices: [{ value: '*', label: 'every request' }, ...operations],
				}),
				html`<div class="grid">
					${form.input({
						name: 'status',
						label: 'Answer with status',
						type: 'number',
						min: 200,
						max: 599,
						hint: 'Such as 503, in place of doing anything.',
					})}
					${form.input({
						name: 'code',
						label: 'Error code',
						hint: 'In the error object of that answer.',
					})}
					${form.input({ name: 'retry_after', label: 'Retry-After', hint: 'Seconds, or a date.' })}
					${form.input({
						name: 'text',
						label: 'Text of the answer',
						hint: "In place of the error object, such as a proxy's page.",
					})}
					${form.input({ name: 'content_type', label: 'Its type', hint: 'text/html, if empty.' })}
					${form.input({
						name: 'delay_ms',
						label: 'Wait first, in milliseconds',
						type: 'number',
						min: 0,
					})}
					${form.choice({
						name: 'connection',
						label: 'Connection',
						choices: [
							none,
							{ value: 'before', label: 'broken before anything is done' },
							{ value: 'while', label: 'broken while answering' },
						],
					})}
					${form.choice({
						name: 'body',
						label: 'Body of the answer',
						choices: [
							none,
							{ value: 'truncated', label: 'half of it' },
							{ value: 'slow', label: 'sent slowly' },
						],
					})}
					${form.input({
						name: 'bytes_per_second',
						label: 'Bytes a second',
						type: 'number',
						min: 1,
						hint: 'Where it is sent slowly.',
					})}
					${frequency(form)}
				</div>`,
			],
			'Add the fault',
		)}
	</details>`;
}

function deliveryForm(request: PageRequest): Html {
	const form = new Form(request, '/_sandbox/webhook-faults');
	const kinds = webhookFaultKinds.map((kind) => ({ value: kind, label: toWords(kind) }));
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
					label: 'Delay in milliseconds',
					type: 'number',
					min: 1,
					hint: '60000, if empty.',
				})}
				${frequency(form)}
			</div>`,
			'Add the fault',
		)}
	</details>`;
}
