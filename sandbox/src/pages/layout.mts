import { html } from 'hono/html';
import { countFaults } from '../control/faults.mts';
import { nameProfile, profiles } from '../contract/switches.mts';
import type { Service } from '../service.mts';
import { badge, formatCount, timestamp } from './elements.mts';
import type { Html, Mood } from './elements.mts';
import type { PageContent, PageRequest } from './request.mts';

const sections = [
	['Overview', '/_sandbox/'],
	['Records', '/_sandbox/records'],
	['Requests', '/_sandbox/requests'],
	['Webhooks', '/_sandbox/webhooks'],
	['Outbox', '/_sandbox/outbox'],
	['Controls', '/_sandbox/controls'],
	['Faults', '/_sandbox/faults'],
] as const;

/** The notice that a page shows after a form, by the word in its address (`?done=…`). */
const notices = new Map([
	['moved', 'The clock was moved.'],
	['switched', 'The switches were changed.'],
	['limited', 'The rate limits were changed. All counts start again.'],
	['fault-added', 'The fault was added.'],
	['fault-removed', 'The fault was removed.'],
	['faults-removed', 'All faults were removed.'],
	[
		'redelivered',
		'The event was sent again. If n8n has run it before, it answers 200 and runs nothing.',
	],
	['registered', 'The webhook was registered.'],
	['webhook-changed', 'The webhook was changed.'],
	['webhook-deleted', 'The webhook was deleted.'],
	['tested', 'A test event was sent.'],
	['uploaded', 'The document was uploaded.'],
	['created', 'The dossier was created.'],
	['task-created', 'The task was added.'],
	['filled', 'The examples were added.'],
	['organization-created', 'The organization was created.'],
	['reset', 'The sandbox is as it was after its first start.'],
	['requests-cleared', 'The list of requests was cleared.'],
	['outbox-cleared', 'The outbox was cleared.'],
]);

/** A whole page of the control room. */
export function layout(request: PageRequest, { title, section, body }: PageContent): Html {
	const { clock, options } = request.service;
	const refusal = request.refused?.sentence;
	const done = notices.get(request.context.req.query('done') ?? '');
	const notice = refusal === undefined ? done : 'That did not work';
	return html`<!doctype html>
		<html lang="en">
			<head>
				<meta charset="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1" />
				<meta name="color-scheme" content="light dark" />
				<title>${notice ? `${notice.replace(/\.$/, '')} – ` : ''}${title} – Dossier sandbox</title>
				<link rel="stylesheet" href="/_sandbox/page.css" />
				<link rel="icon" href="/_sandbox/icon.svg" type="image/svg+xml" />
				<script src="/_sandbox/page.js" defer></script>
			</head>
			<body>
				<a class="skip" href="#content">Skip to the content</a>
				<header>
					<p class="name">
						<a href="/_sandbox/">Dossier sandbox</a>
						${options.environment === 'sandbox'
							? html`<span class="quiet">the vendor's sandbox</span>`
							: ''}
					</p>
					<p class="status">
						${statusBadges(request.service)}
						<span class="quiet clock">${timestamp(clock.iso())}</span>
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
						This is a sandbox: don't store real data here. Pages load nothing from other hosts.
						Programs can do the same as the buttons below <code>/_sandbox/api</code>.
					</p>
					<p id="announcement" class="unseen" role="status"></p>
				</footer>
			</body>
		</html>`;
}

/** The settings in force that change how the service answers, each with a link to where it is set. */
function statusBadges(service: Service): Html[] {
	const link = (to: string, word: string, mood: Mood) =>
		html`<a href="/_sandbox/${to}">${badge(word, mood)}</a> `;
	const faults = countFaults(service);
	return [
		...describeVariant(service).map(([to, ...words]) => link(to, ...words)),
		link('controls#limits', ...describeLimits(service)),
		...(faults === 0 ? [] : [link('faults', formatCount(faults, 'fault'), 'warn')]),
		...(service.clock.offset === 0 ? [] : [link('controls#clock', 'clock moved', 'warn')]),
	];
}

function describeVariant(service: Service): (readonly [to: string, word: string, mood: Mood])[] {
	const profile = nameProfile(service.switches);
	if (profile !== undefined) {
		const mood = profile === 'default' ? 'plain' : 'warn';
		return [['controls#switches', `profile ${profile}`, mood]];
	}
	const positions = new Map(Object.entries(service.switches));
	const changed = Object.entries(profiles.default).filter(
		([name, value]) => positions.get(name) !== value,
	).length;
	const switches = changed === 1 ? '1 switch' : `${changed} switches`;
	return [['controls#switches', `${switches} changed`, 'warn']];
}

function describeLimits({ limits: { rule } }: Service): [word: string, mood: Mood] {
	if (rule === 'plan') return ['limits of the plans', 'plain'];
	if (rule === 'off') return ['no limits', 'warn'];
	return [`limits ${rule.perMinute} a minute, ${rule.perHour} an hour`, 'warn'];
}
