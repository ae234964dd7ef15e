import { html } from 'hono/html';
import type { SentMessage } from '../portal/outbox.ts';
import { badge, copyable, facts, live, timestamp, userText } from './elements.ts';
import type { Html } from './elements.ts';
import type { PageRoutes } from './routes.ts';
import type { PageContent, PageRequest } from './request.ts';

const shown = 50;
const channels = { mail: 'Mail', sms: 'SMS', qr: 'QR code' };

/** What the service would have sent, or handed over, to people. */
export function outboxPages(routes: PageRoutes): void {
	routes.page('/outbox', outbox);
}

function outbox({ service }: PageRequest): PageContent {
	const messages = service.outbox.list({ limit: shown });
	const list =
		messages.length === 0
			? html`<p class="empty">
					Nothing was sent yet. Invite a portal user with POST /v1/portal/invite, or with POST
					/v1/portal/invite/qr for a QR code.
				</p>`
			: html`<div class="cards stack">
					${messages.map((message) => card(service.url, message))}
				</div>`;
	const body = html`<p class="lead">
			Mails, text messages and QR codes end here instead of in people's mailboxes and phones. The
			newest ${shown} are shown.
		</p>
		${live('messages', list)}`;
	return { title: 'Outbox', section: 'Outbox', body };
}

function card(
	url: string,
	{ id, channel, to, subject, text, link, code, image, created_at }: SentMessage,
): Html {
	return html`<article class="card" aria-labelledby="${id}">
		<h2 id="${id}" class="small">
			${badge(channels[channel])} ${subject === null ? '' : userText(subject)}
			${to === null ? '' : html`<span class="quiet">to <bdi>${to}</bdi></span>`}
		</h2>
		<p class="quiet">${timestamp(created_at)}</p>
		${image === null
			? ''
			: html`<img
					class="qr"
					src="${pictureOf(image)}"
					alt="QR code of the link below"
					width="240"
					height="240"
				/>`}
		<p class="letter"><bdi>${text}</bdi></p>
		${facts([
			...(code === null ? [] : [['Code', copyable(code, 'the code')] satisfies [string, Html]]),
			...(link === null ? [] : [['Link', linkShown(url, link)] satisfies [string, Html]]),
		])}
	</article>`;
}

/** A link to follow where it leads into this sandbox; any other is text. */
function linkShown(url: string, link: string): Html {
	const copy = copyable(link, 'the link');
	if (!link.startsWith(`${url}/_sandbox/`)) return copy;
	return html`<a href="${link.slice(url.length)}">Open</a> ${copy}`;
}

/** A picture as the address of an image, which never leads to another host. */
function pictureOf(image: string): string {
	return /^data:image\/(png|svg\+xml);base64,[\w+/=]*$/.test(image) ? image : '';
}
