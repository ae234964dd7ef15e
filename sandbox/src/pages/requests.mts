import { html } from 'hono/html';
import { listEntries } from '../control/entries.mts';
import type { DescribedEntry } from '../control/entries.mts';
import { readErrorCode } from '../requests/journal.mts';
import type { Service } from '../service.mts';
import { strip } from './activity.mts';
import { formatEntryAsCurl } from './curl.mts';
import { badge, copyButton, formatBytes, formatCount, live, timestamp } from './elements.mts';
import type { Html, Mood } from './elements.mts';
import { button, Form } from './forms.mts';
import type { PageContent, PageRequest } from './request.mts';
import type { PageRoutes } from './routes.mts';

/** Requests on the page. The journal keeps more, which the filters look through. */
const shown = 50;

const outcomes = new Map<string, { label: string; holds: (entry: DescribedEntry) => boolean }>([
	['2', { label: 'succeeded (2xx)', holds: ({ status }) => isInClass(status, 2) }],
	['4', { label: 'refused (4xx)', holds: ({ status }) => isInClass(status, 4) }],
	['5', { label: 'failed (5xx)', holds: ({ status }) => isInClass(status, 5) }],
	['none', { label: 'not answered', holds: ({ status }) => status === null }],
	['unknown', { label: 'with unknown fields', holds: hasUnknownFields }],
]);

function isInClass(status: number | null, hundreds: number): boolean {
	return Math.floor((status ?? 0) / 100) === hundreds;
}

/** Whether the service ignored a part of the request because it does not know it. */
export function hasUnknownFields({ unknown_fields }: DescribedEntry): boolean {
	return unknown_fields.length > 0;
}

/** The latest requests with their answers. */
export function addRequestPages(routes: PageRoutes): void {
	routes.page('/requests', renderRequests);
	routes.commands(renderRequests, [
		['/requests/clear', 'delete /journal', '/requests?done=requests-cleared'],
	]);
}

function renderRequests(request: PageRequest): PageContent {
	const { service, context } = request;
	const { q = '', outcome = '', operation = '' } = context.req.query();
	const holds = outcomes.get(outcome)?.holds;
	const found = listEntries(service, { limit: 500 })
		.filter((one) => holds?.(one) ?? true)
		.filter((one) => operation === '' || one.operation === operation)
		.filter((one) => matchesText(one, q.trim().toLowerCase()))
		.slice(0, shown);
	const isFiltered = holds !== undefined || operation !== '' || q.trim() !== '';
	const list =
		isFiltered && found.length === 0
			? html`<p class="empty">No request matches. <a href="/_sandbox/requests">Show all</a></p>`
			: journalEntries(service, found, 'request');
	const body = html`<p class="lead">
			The latest ${shown} requests to the service with their answers. Keys, tokens and codes are
			masked. Requests of these pages are not listed.
		</p>
		${filterForm(request, { q, outcome, operation })}
		${live('requests', html`${strip(service)} ${list}`)}
		<div class="actions">${button('/_sandbox/requests/clear', 'Clear the list')}</div>`;
	return { title: 'Requests', section: 'Requests', body };
}

function matchesText({ method, url, request_id, answer }: DescribedEntry, words: string): boolean {
	return [`${method} ${url}`, request_id, readErrorCode(answer.body.text) ?? ''].some((text) =>
		text.toLowerCase().includes(words),
	);
}

function filterForm(
	request: PageRequest,
	{ q, outcome, operation }: { q: string; outcome: string; operation: string },
): Html {
	const form = new Form(request, '/_sandbox/requests');
	const any = { value: '', label: 'any' };
	const words = 'Address, error code or request ID';
	const results = [...outcomes].map(([value, { label }]) => ({ value, label }));
	const operations = request.service.contract.operations.map(({ id }) => id);
	const fields = [
		form.input({ name: 'q', label: words, type: 'search', value: q }),
		form.choice({ name: 'outcome', label: 'Outcome', choices: [any, ...results], value: outcome }),
		form.choice({
			name: 'operation',
			label: 'Operation',
			choices: [any, ...operations],
			value: operation,
		}),
	];
	return html`<search>${form.filter(fields, 'Filter', 'inline filters')}</search>`;
}

/** Requests, each as a line that opens. `prefix` begins their ids on the page. */
export function journalEntries(service: Service, list: DescribedEntry[], prefix: string): Html {
	if (list.length === 0) {
		return html`<p class="empty">
			There are no requests yet. Each one appears here as soon as it is answered.
		</p>`;
	}
	return html`<ol class="entries" reversed>
		${list.map((entry) => html`<li>${line(service, entry, prefix)}</li>`)}
	</ol>`;
}

function line(service: Service, entry: DescribedEntry, prefix: string): Html {
	const { n, method, url, status, operation, caller, duration_ms, fault, answer } = entry;
	const unknown = entry.unknown_fields;
	const code = readErrorCode(answer.body.text);
	return html`<details id="${prefix}-${n}">
		<summary>
			${badge(
				status === null ? (duration_ms === null ? 'open' : 'broken') : String(status),
				chooseMood(status),
			)}
			<span class="request"><b>${method}</b> <bdi>${url}</bdi></span>
			${code === undefined ? '' : html`<code class="error-code">${code}</code>`}
			${fault ? badge('fault', 'warn') : ''}
			${unknown.length > 0 ? badge(formatCount(unknown.length, 'unknown field'), 'warn') : ''}
			<span class="quiet"
				>${timestamp(entry.time)}${duration_ms === null ? '' : ` · ${duration_ms} ms`}</span
			>
		</summary>
		<p class="quiet">
			${operation ?? 'no operation'} ·
			${caller ? `${caller.kind} ${caller.organization_id ?? ''}` : 'not authenticated'} ·
			${entry.request_id}
			${copyButton(formatEntryAsCurl(service, entry), `${method} ${url}`, 'Copy as curl')}
		</p>
		${unknown.length > 0
			? html`<p>
					The service does not know these fields${(status ?? 0) < 400 ? ' and ignored them' : ''}:
					<bdi>${unknown.join(', ')}</bdi>
				</p>`
			: ''}
		${half('Request', entry.request)} ${half('Answer', answer)}
	</details>`;
}

function half(title: string, { headers, body }: DescribedEntry['request']): Html {
	const { text, bytes, cut } = body;
	const lines = headers.map(([name, value]) => `${name}: ${value}`).join('\n');
	const size = `${formatBytes(bytes)}${cut ? '; this is the beginning' : ''}`;
	return html`<h3>${title} ${bytes === 0 ? '' : html`<span class="quiet">${size}</span>`}</h3>
		${text === ''
			? ''
			: html`<pre tabindex="0" aria-label="${title}: body"><bdi>${indent(text)}</bdi></pre>`}
		<pre tabindex="0" class="headers" aria-label="${title}: headers"><bdi>${lines === ''
			? 'no headers'
			: lines}</bdi></pre>`;
}

/** JSON with indentation; any other text as it is. */
function indent(text: string): string {
	try {
		return JSON.stringify(JSON.parse(text), null, 2);
	} catch {
		return text;
	}
}

function chooseMood(status: number | null): Mood {
	if (status === null || status >= 500) return 'bad';
	if (status >= 400) return 'warn';
	return status >= 300 ? 'plain' : 'good';
}
