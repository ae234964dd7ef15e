import { html } from 'hono/html';
import { isObject } from '../platform/json.mts';
import type { Json, JsonObject } from '../platform/json.mts';
import type { Fault } from '../platform/fault-registry.mts';
import { deliveryFault } from '../webhooks/faults.mts';
import { badge, formatValue, table, toWords, userText } from './elements.mts';
import type { Html } from './elements.mts';
import { button, Form } from './forms.mts';
import { callControl } from './request.mts';
import type { PageContent, PageRequest } from './request.mts';
import type { PageRoutes } from './routes.mts';

const home = '/_sandbox/faults';

const errorPage =
	'<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>';

/** Usual failures of a request: a name, and the fields for `POST /faults`. */
const requestFaults = new Map<string, Record<string, string>>([
	['503', { status: '503' }],
	['500', { status: '500' }],
	['429, with Retry-After: 5', { status: '429', code: 'RATE_LIMIT_EXCEEDED', retry_after: '5' }],
	["502 with a proxy's error page", { status: '502', text: errorPage, content_type: 'text/html' }],
	['An answer after ten seconds', { delay_ms: '10000' }],
	['No answer at all', { silent: 'before' }],
	['The connection closes before the operation runs', { connection: 'before' }],
	['The connection closes halfway through the answer', { connection: 'while' }],
	['The operation runs, and nobody answers', { connection: 'after' }],
	['Half of the body, as if it were complete', { body: 'truncated' }],
	['A body of 1,000 bytes a second', { body: 'slow' }],
]);

/** Failures of requests and deliveries on purpose. */
export function addFaultPages(routes: PageRoutes): void {
	routes.page('/faults', renderFaults);

	routes.form('/faults', renderFaults, async (request, fields) => {
		const fault = requestFaults.get(fields.get('fault') ?? '');
		if (!fault) throw new RangeError('Choose what goes wrong.');
		const { operation = '*', times } = Object.fromEntries(fields);
		const body = new URLSearchParams({ operation, ...fault, ...(times && { times }) });
		await callControl(request, 'post /faults', body);
		return `${home}?done=fault-added`;
	});

	const removed = '/faults?done=fault-removed';
	routes.commands(renderFaults, [
		['/webhook-faults', 'post /webhook-faults', '/faults?done=fault-added#webhook-faults'],
		['/faults/:id/remove', 'delete /faults/{id}', `${removed}#faults`],
		['/webhook-faults/:id/remove', 'delete /webhook-faults/{id}', `${removed}#webhook-faults`],
	]);

	routes.form('/faults/clear', renderFaults, async (request) => {
		await callControl(request, 'delete /faults');
		await callControl(request, 'delete /webhook-faults');
		return `${home}?done=faults-removed`;
	});
}

function renderFaults(request: PageRequest): PageContent {
	const { service } = request;
	const [requests, deliveries] = [service.faults.list(), service.webhookFaults.list()];
	const body = html`<p class="lead">
			Make requests and deliveries fail on purpose. A fault stays in force until you remove it, it
			is spent, or the sandbox ends. Programs choose from more faults: README, “The control room”.
		</p>
		${requests.length + deliveries.length > 0
			? html`<div class="actions">
					${button(`${home}/clear`, 'Remove all faults', { mood: 'risky' })}
				</div>`
			: ''}
		<h2 id="faults">Requests</h2>
		${faultTable('faults', requests)} ${requestForm(request)}
		<h2 id="webhook-faults">Webhook deliveries</h2>
		${faultTable('webhook-faults', deliveries)} ${deliveryForm(request)}`;
	return { title: 'Faults', section: 'Faults', body };
}

function requestForm(request: PageRequest): Html {
	const form = new Form(request, home);
	const operations = request.service.contract.operations.map(({ id, method, path, access }) => ({
		value: id,
		label: `${method} ${path}`,
		group: toWords(access),
	}));
	return faultForm(form, 'Faults of requests', [
		form.choice({
			name: 'operation',
			label: 'Fail these requests',
			choices: [{ value: '*', label: 'every request' }, ...operations],
		}),
		form.choice({
			name: 'fault',
			label: 'What goes wrong',
			choices: [...requestFaults.keys()],
		}),
	]);
}

function deliveryForm(request: PageRequest): Html {
	const form = new Form(request, '/_sandbox/webhook-faults');
	return faultForm(form, 'Faults of deliveries', [
		form.choice({
			name: 'kind',
			label: 'What goes wrong',
			choices: deliveryFault.kind.options.map((kind) => ({ value: kind, label: toWords(kind) })),
		}),
	]);
}

function faultForm(form: Form, label: string, fields: Html[]): Html {
	const times = form.input({
		name: 'times',
		label: 'How many times',
		type: 'number',
		min: 1,
		value: '1',
		hint: 'Always, if empty.',
	});
	return html`<section class="card" aria-label="${label}">
		${form.html(html`<div class="grid">${fields} ${times}</div>`, 'Add the fault')}
	</section>`;
}

function faultTable(kind: 'faults' | 'webhook-faults', list: Fault<object>[]): Html {
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
					button(`/_sandbox/${kind}/${id}/remove`, html`Remove<span class="unseen"> ${id}</span>`),
			},
		],
		list,
		'There are no faults.',
	);
}

/** A fault in words: `dossiers.list: status 503, times 2`. */
function describeFault({ operation, event, ...rest }: JsonObject): string {
	const what = formatValue(operation ?? event ?? '*');
	const write = (value: Json | undefined) =>
		isObject(value)
			? Object.entries(value)
					.map(([name, one]) => `${name}: ${formatValue(one)}`)
					.join(', ')
			: formatValue(value);
	const effects = Object.entries(rest)
		.filter(([, value]) => value !== undefined)
		.map(([name, value]) => `${name.replaceAll('_', ' ')} ${write(value)}`);
	return `${what === '*' ? 'Everything' : what}: ${effects.join(', ')}`;
}
