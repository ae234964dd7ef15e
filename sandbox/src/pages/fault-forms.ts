import { html } from 'hono/html';
import { faultCompressions, faultMoments } from '../requests/faults.ts';
import { eventKinds } from '../webhooks/events.ts';
import { webhookFaultKinds } from '../webhooks/faults.ts';
import { formatValue, toWords } from './elements.ts';
import type { Html } from './elements.ts';
import { momentNames, webhookFaultNames } from './fault-text.ts';
import { Form } from './forms.ts';
import type { Choice } from './forms.ts';
import type { PageRequest } from './request.ts';

/** The operations that a fault can strike. */
export function listOperations({ service }: PageRequest): Choice[] {
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

/** The form for a fault of requests. */
export function requestForm(request: PageRequest): Html {
	const form = new Form(request, '/_sandbox/faults');
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
	return html`<details ${request.refused?.action === '/_sandbox/faults' ? 'open' : ''}>
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

/** The form for a fault of deliveries. */
export function deliveryForm(request: PageRequest): Html {
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
