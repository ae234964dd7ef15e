import { html } from 'hono/html';
import type { JournalEntry, RecordedBody } from '../requests/journal.ts';
import { badge, live, timestamp, size } from './elements.ts';
import type { Html } from './elements.ts';
import { Form } from './forms.ts';
import type { PageRoutes } from './routes.ts';
import { command } from './request.ts';
import type { PageContent, PageRequest } from './request.ts';

const shown = 50;

/** The latest requests with their answers, renewed while they are looked at. */
export function requestPages(routes: PageRoutes): void {
	routes.page('/journal', requests);

	routes.form('/journal/clear', requests, async (request) => {
		await command(request, 'DELETE', '/journal');
		return '/_sandbox/journal?done=journal-cleared';
	});
}

function requests(request: PageRequest): PageContent {
	const clear = new Form(request, '/_sandbox/journal/clear');
	const body = html`<p class="lead">
			The latest ${shown} requests to the service with their answers, without keys, tokens and
			codes. What this page itself asks for is not among them.
		</p>
		<div class="actions">${clear.html([], 'Empty the list', 'plain')}</div>
		${live('requests', entries(request.service.journal.list({ limit: shown }), 'request'))}`;
	return { title: 'Requests', section: 'Requests', body };
}

/** Requests, each one a line that opens. `prefix` begins their ids on the page. */
export function entries(list: JournalEntry[], prefix: string): Html {
	if (list.length === 0) {
		return html`<p class="empty">
			Nothing was asked for yet. Each request appears here when it is answered.
		</p>`;
	}
	return html`<ol class="entries" reversed>
		${list.map((entry) => html`<li>${line(entry, prefix)}</li>`)}
	</ol>`;
}

function line(entry: JournalEntry, prefix: string): Html {
	const { n, method, url, status, operation, caller, duration_ms, fault } = entry;
	return html`<details id="${prefix}-${n}">
		<summary>
			${badge(
				status === null ? (duration_ms === null ? 'open' : 'broken') : String(status),
				moodOf(status),
			)}
			<span class="request"><b>${method}</b> <bdi>${url}</bdi></span>
			${fault ? badge('fault', 'warn') : ''}
			<span class="quiet"
				>${timestamp(entry.time)}${duration_ms === null ? '' : ` · ${duration_ms} ms`}</span
			>
		</summary>
		<p class="quiet">
			${operation ?? 'no operation'} ·
			${caller ? `${caller.kind} ${caller.organization_id ?? ''}` : 'not admitted'} ·
			${entry.request_id}
		</p>
		${half('Request', entry.request)} ${half('Answer', entry.answer)}
	</details>`;
}

function half(title: string, { headers, body }: JournalEntry['request']): Html {
	const lines = headers.map(([name, value]) => `${name}: ${value}`).join('\n');
	return html`<h3>${title}</h3>
		<pre tabindex="0" aria-label="${title}: headers"><bdi>${lines === ''
			? 'no headers'
			: lines}</bdi></pre>
		${bodyOf(title, body)}`;
}

function bodyOf(title: string, { text, bytes, cut }: RecordedBody): Html {
	if (bytes === 0) return html``;
	const what = cut ? `${size(bytes)}, of which this is the beginning` : size(bytes);
	if (text === '') return html`<p class="quiet">A body of ${size(bytes)}</p>`;
	return html`<p class="quiet">A body of ${what}</p>
		<pre tabindex="0" aria-label="${title}: body"><bdi>${text}</bdi></pre>`;
}

function moodOf(status: number | null): 'good' | 'bad' | 'warn' | 'plain' {
	if (status === null || status >= 500) return 'bad';
	if (status >= 400) return 'warn';
	return status >= 300 ? 'plain' : 'good';
}
