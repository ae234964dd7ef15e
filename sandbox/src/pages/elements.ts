import { html } from 'hono/html';
import type { Json } from '../platform/json.ts';

/** A piece of a page in which every text is escaped. */
export type Html = ReturnType<typeof html>;

export interface Column<Row> {
	head: string;
	cell: (row: Row) => Html | string;
	/** How its cells are set; as they come where it is not said. */
	kind?: 'number' | 'action';
}

/**
 * A table, which becomes a card for each row where there is no room. The roles are spelled out, since a table that is set as anything
 * else is no table any more to some browsers.
 */
export function table<Row>(
	caption: string,
	columns: Column<Row>[],
	rows: Row[],
	empty: Html | string,
	idOf: (row: Row) => string | null = () => null,
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
				const id = idOf(row);
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

/** A text that somebody else wrote: kept to itself, so that its direction of writing changes nothing around it. */
export function userText(text: string | null): Html {
	return text === null || text === ''
		? html`<span class="quiet">–</span>`
		: html`<bdi>${text}</bdi>`;
}

/** A text with a button that copies it; the button is there once the page's script runs. */
export function copyable(text: string, what: string): Html {
	return html`<span class="copyable"
		><code>${text}</code
		><button type="button" class="copy" data-copy="${text}" hidden>
			Copy<span class="unseen"> ${what}</span>
		</button></span
	>`;
}

/** Facts under their names. */
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

/** A word that says how something stands. */
export function badge(word: string, mood: 'good' | 'bad' | 'warn' | 'plain' = 'plain'): Html {
	return html`<span class="badge ${mood}">${word}</span>`;
}

/** A moment (ISO 8601 in UTC) as a person reads it. */
export function timestamp(iso: string | null): Html {
	if (iso === null) return userText(null);
	const [date = '', time = ''] = iso.split('T');
	return html`<time datetime="${iso}">${date} ${time.slice(0, 8)}</time>`;
}

const units = ['bytes', 'kB', 'MB', 'GB'];

/** A number of bytes as a person reads it: `1.4 MB`. */
export function size(bytes: number): string {
	if (bytes === 1) return '1 byte';
	const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
	const value = bytes / 1000 ** step;
	return `${step === 0 ? value : value.toFixed(1)} ${units[step]}`;
}

/** Links to the page before and after one, and where it stands. Nothing where there is one page only. `addressOf` gives a page's address. */
export function pager(
	{ page, perPage, total }: { page: number; perPage: number; total: number },
	addressOf: (page: number) => string,
): Html {
	const pages = Math.max(1, Math.ceil(total / perPage));
	if (pages === 1 && page === 1) return html``;
	return html`<nav class="pager" aria-label="Pages">
		${page > 1
			? html`<a rel="prev" href="${addressOf(Math.min(page - 1, pages))}">Previous</a>`
			: ''}
		<span>Page ${page} of ${pages}, ${total} in all</span>
		${page < pages ? html`<a rel="next" href="${addressOf(page + 1)}">Next</a>` : ''}
	</nav>`;
}

/** A part of a page that the script renews while the page is open. */
export function live(id: string, content: Html): Html {
	return html`<div id="${id}" data-live>${content}</div>`;
}
