import { html } from 'hono/html';
import type { SentMessage } from '../portal/outbox.mts';
import { badge, copyable, facts, live, timestamp, userText } from './elements.mts';
import type { Html } from './elements.mts';
import { button, Form } from './forms.mts';
import type { PageContent, PageRequest } from './request.mts';
import type { PageRoutes } from './routes.mts';

const shown = 50;
const channels = { mail: 'Mail', sms: 'SMS', qr: 'QR code' };

/** The messages that the service would send to people. */
export function addOutboxPages(routes: PageRoutes): void {
	routes.page('/outbox', renderOutbox);
	routes.commands(renderOutbox, [
		['/outbox/clear', 'delete /outbox', '/outbox?done=outbox-cleared'],
	]);
}

function renderOutbox(request: PageRequest): PageContent {
	const { service, context } = request;
	const to = context.req.query('to') || undefined;
	const messages = service.outbox.list({ ...(to !== undefined && { to }), limit: shown });
	const list =
		messages.length === 0
			? html`<p class="empty">
					${to === undefined
						? 'There are no messages yet. An invitation to the portal, a sign-in by link or code, or a QR code appears here.'
						: html`There are no messages to <bdi>${to}</bdi>.
								<a href="/_sandbox/outbox">Show all</a>`}
				</p>`
			: html`<div class="cards stack">
					${messages.map((message) => messageCard(service.url, message))}
				</div>`;
	const body = html`<p class="lead">
			Mails, text messages and QR codes end here and never leave the sandbox. The latest ${shown}
			are listed.
		</p>
		${recipientForm(request, to)} ${live('messages', list)}
		${messages.length === 0
			? ''
			: html`<div class="actions">
					${button('/_sandbox/outbox/clear', 'Clear the outbox', { mood: 'risky' })}
				</div>`}`;
	return { title: 'Outbox', section: 'Outbox', body };
}

function recipientForm(request: PageRequest, value: string | undefined): Html {
	const recipients = request.service.outbox.recipients();
	if (recipients.length === 0) return html``;
	const form = new Form(request, '/_sandbox/outbox');
	const everybody = { value: '', label: 'everybody' };
	const choices = recipients.map(({ to, messages }) => ({
		value: to,
		label: `${to} (${messages})`,
	}));
	return form.filter(
		form.choice({ name: 'to', label: 'Recipient', choices: [everybody, ...choices], value }),
		'Show',
	);
}

function messageCard(
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
					src="${checkImage(image)}"
					alt="QR code of the link below"
					width="240"
					height="240"
				/>`}
		<p class="letter"><bdi>${text}</bdi></p>
		${facts([
			...(code === null ? [] : [['Code', copyable(code, 'the code')] satisfies [string, Html]]),
			...(link === null ? [] : [['Link', linkTo(url, link)] satisfies [string, Html]]),
		])}
	</article>`;
}

/** A link if it leads to this sandbox; text if it leads elsewhere. */
function linkTo(url: string, link: string): Html {
	const copy = copyable(link, 'the link');
	if (!link.startsWith(`${url}/_sandbox/`)) return copy;
	return html`<a href="${link.slice(url.length)}">Open</a> ${copy}`;
}

/** The data URL of an image; nothing if it is an address of another host. */
function checkImage(image: string): string {
	return /^data:image\/(png|svg\+xml);base64,[\w+/=]*$/.test(image) ? image : '';
}
