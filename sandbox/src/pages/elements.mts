import { html } from 'hono/html';
import type { Json } from '../platform/json.mts';

/** A piece of a page in which every text is escaped. */
export type Html = ReturnType<typeof html>;

export type Mood = 'good' | 'bad' | 'warn' | 'plain';

export interface Column<Row> {
	head: string;
	cell: (row: Row) => Html | string;
	/** How its cells are set; plain by default. */
	kind?: 'number' | 'action';
}

/**
 * A table, in which each row becomes a card on a narrow screen. The roles are explicit because some browsers drop the semantics of a table
 * that is not displayed as one.
 */
export function table<Row>(
	caption: string,
	columns: Column<Row>[],
	rows: Row[],
	empty: Html | string,
	readId: (row: Row) => string | null = () => null,
): Html {
	if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
	return html`<table role="table">
		<caption>
			${caption}
		</caption>
		<thead role="rowgroup">
			<tr role="row">
				${columns.map(
					({ head, kind }) =>
						html`<th role="columnheader" scope="col" class="${kind ?? 'plain'}">
							${kind === 'action' ? html`<span class="unseen">${head}</span>` : head}
						</th>`,
				)}
			</tr>
		</thead>
		<tbody role="rowgroup">
			${rows.map((row) => {
				const id = readId(row);
				return html`<tr role="row" ${id === null ? '' : html`id="${id}"`}>
					${columns.map(
						({ head, cell, kind }) =>
							html`<td role="cell" class="${kind ?? 'plain'}" data-head="${head}">
								<div>${cell(row)}</div>
							</td>`,
					)}
				</tr>`;
			})}
		</tbody>
	</table>`;
}

/** A value of JSON as text: a string as it is. */
export function formatValue(value: Json | undefined): string {
	return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** A text from outside, isolated so that its writing direction does not change the text around it. */
export function userText(text: string | null): Html {
	return text === null || text === ''
		? html`<span class="quiet none">–</span>`
		: html`<bdi>${text}</bdi>`;
}

/** A text with a button that copies it. The script of the page shows the button. */
export function copyable(text: string, what: string): Html {
	return html`<span class="copyable"><code>${text}</code>${copyButton(text, what)}</span>`;
}

/** A button that copies a text. The script of the page shows it. */
export function copyButton(text: string, what: string, label = 'Copy'): Html {
	return html`<button type="button" class="copy" data-copy="${text}" hidden>
		${label}<span class="unseen"> ${what}</span>
	</button>`;
}

/** Several lines of code with a button that copies them. */
export function codeBlock(code: string, what: string): Html {
	return html`<div class="code">
		<pre tabindex="0" aria-label="${what}">${code}</pre>
		${copyButton(code, what)}
	</div>`;
}

/** Names with their values. */
export function facts(entries: [name: string, value: Html | string][]): Html {
	return html`<dl class="facts">
		${entries.map(
			([name, value]) =>
				html`<div>
					<dt>${name}</dt>
					<dd>${value}</dd>
				</div>`,
		)}
	</dl>`;
}

/** A word that names a state. */
export function badge(word: string, mood: Mood = 'plain'): Html {
	return html`<span class="badge ${mood}">${word}</span>`;
}

/** A time (ISO 8601 in UTC) in a readable form. */
export function timestamp(iso: string | null): Html {
	if (iso === null) return userText(null);
	const [date = '', time = ''] = iso.split('T');
	return html`<time datetime="${iso}">${date} ${time.slice(0, 8)} UTC</time>`;
}

const byteUnits = ['bytes', 'kB', 'MB', 'GB'];

/** A number of bytes in a readable form: `1.4 MB`. */
export function formatBytes(bytes: number): string {
	const step = Math.min(byteUnits.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
	const value = bytes / 1000 ** step;
	return `${step === 0 ? value : value.toFixed(1)} ${byteUnits[step]}`;
}

/** Links to the previous and the next page, and the number of this one; nothing if there is only one page. */
export function pager(
	{ page, perPage, total }: { page: number; perPage: number; total: number },
	buildAddress: (page: number) => string,
): Html {
	const pages = Math.max(1, Math.ceil(total / perPage));
	if (pages === 1 && page === 1) return html``;
	return html`<nav class="pager" aria-label="Pages">
		${page > 1
			? html`<a rel="prev" href="${buildAddress(Math.min(page - 1, pages))}">Previous</a>`
			: ''}
		<span>Page ${page} of ${pages}, ${total} in all</span>
		${page < pages ? html`<a rel="next" href="${buildAddress(page + 1)}">Next</a>` : ''}
	</nav>`;
}

/** Links to the views of a page; one is current. */
export function tabs(
	label: string,
	views: { name: string; address: string; isCurrent: boolean }[],
): Html {
	return html`<nav class="tabs" aria-label="${label}">
		<ul>
			${views.map(
				({ name, address, isCurrent }) =>
					html`<li>
						<a href="${address}" ${isCurrent ? html`aria-current="page"` : ''}>${name}</a>
					</li>`,
			)}
		</ul>
	</nav>`;
}

/** A part of a page that the script updates while the page is open. */
export function live(id: string, content: Html): Html {
	return html`<div id="${id}" data-live>${content}</div>`;
}

const abbreviations: Record<string, string> = {
	api: 'API',
	id: 'ID',
	ids: 'IDs',
	put: 'PUT',
	qr: 'QR',
};

/** A name of the service as words: `due_at` becomes `Due at`. */
export function toWords(name: string): string {
	const spaced = name
		.split('_')
		.map((word) => abbreviations[word] ?? word)
		.join(' ');
	return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** A count with its noun: `1 fault`, `2 faults`. */
export function formatCount(count: number, noun: string): string {
	return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
