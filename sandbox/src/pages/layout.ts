import { html } from 'hono/html';
import { timestamp } from './elements.ts';
import type { Html } from './elements.ts';
import type { PageContent, PageRequest } from './request.ts';

const sections = [
	['Overview', '/_sandbox/'],
	['Records', '/_sandbox/records'],
	['Requests', '/_sandbox/journal'],
	['Webhooks', '/_sandbox/webhooks'],
	['Outbox', '/_sandbox/outbox'],
	['Controls', '/_sandbox/controls'],
	['Faults', '/_sandbox/faults'],
	['API reference', '/_sandbox/reference'],
] as const;

/** What a form says when it is done, by the word in the address that it leads to. */
const sentences = new Map([
	['moved', 'The clock was moved.'],
	['switched', 'The wording of answers was changed.'],
	['limited', 'The rate limits were changed, and all counts begin anew.'],
	['fault-added', 'The fault was added.'],
	['fault-removed', 'The fault was removed.'],
	['faults-removed', 'All faults were removed.'],
	['redelivered', 'The event was sent again.'],
	['registered', 'The webhook was registered.'],
	['webhook-changed', 'The webhook was changed.'],
	['webhook-deleted', 'The webhook was deleted.'],
	['tested', 'A test event was sent.'],
	['uploaded', 'The document was uploaded.'],
	['created', 'The dossier was created.'],
	['filled', 'Example dossiers were added.'],
	['organization-created', 'The organization was created.'],
	['reset', 'Everything is as it was after the first start.'],
	['snapshot-taken', 'The snapshot was taken.'],
	['snapshot-restored', 'The snapshot was restored.'],
	['snapshot-removed', 'The snapshot was removed.'],
	['journal-cleared', 'The list of requests was emptied.'],
	['signed-in', 'You are signed in: this is the full reference.'],
	['signed-out', 'You are signed out.'],
]);

/** A whole page of the control room. */
export function layout(request: PageRequest, { title, section, body }: PageContent): Html {
	const { clock, options } = request.service;
	const refusal = request.refused?.sentence;
	const done = sentences.get(request.context.req.query('done') ?? '');
	const outcome = refusal === undefined ? done : 'That did not work';
	return html`<!doctype html>
		<html lang="en">
			<head>
				<meta charset="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1" />
				<meta name="color-scheme" content="light dark" />
				<title>
					${outcome ? `${outcome.replace(/\.$/, '')} – ` : ''}${title} – Dossier sandbox
				</title>
				<link rel="stylesheet" href="/_sandbox/page.css" />
				<link rel="icon" href="/_sandbox/icon.svg" type="image/svg+xml" />
				<script src="/_sandbox/page.js" defer></script>
			</head>
			<body>
				<a class="skip" href="#content">Skip to the content</a>
				<header>
					<p class="name">
						<a href="/_sandbox/">Dossier sandbox</a>
						<span class="quiet">${options.environment} environment</span>
					</p>
					<p class="quiet clock">
						${timestamp(clock.iso())}
						UTC${clock.offset === 0 ? '' : html`, <a href="/_sandbox/controls">moved</a>`}
					</p>
				</header>
				<nav aria-label="Control room" class="sections">
					<ul>
						${sections.map(
							([name, address]) =>
								html`<li>
									<a href="${address}" ${name === section ? html`aria-current="page"` : ''}
										>${name}</a
									>
								</li>`,
						)}
					</ul>
				</nav>
				<main id="content" tabindex="-1">
					${refusal === undefined
						? ''
						: html`<div class="notice bad" role="alert" tabindex="-1" autofocus>
								<strong>That did not work.</strong> ${refusal}
							</div>`}
					${refusal === undefined && done !== undefined
						? html`<div class="notice good" role="status" tabindex="-1" autofocus>${done}</div>`
						: ''}
					<h1><bdi>${title}</bdi></h1>
					${body}
				</main>
				<footer>
					<p>
						A sandbox: nothing here is kept safe, and no page of it asks another host for anything.
						What the buttons do, programs do below <code>/_sandbox/api</code>.
					</p>
					<p id="told" class="unseen" role="status"></p>
				</footer>
			</body>
		</html>`;
}
