import { html } from 'hono/html';
import { second } from '../platform/clock.mts';
import type { Service } from '../service.mts';
import { formatCount, userText } from './elements.mts';
import type { Html } from './elements.mts';

/** How many seconds the strip of requests shows. */
const stripSeconds = 60;

/** How much of its limits each organization has used: those that have sent requests in this hour, or the first one. */
export function gauges({ organizations, limits, switches }: Service): Html {
	if (limits.rule === 'off') {
		return html`<p class="quiet">
			There is no limit of requests now. <a href="/_sandbox/controls#limits">Set one</a>
		</p>`;
	}
	const all = organizations.all().map((one) => ({
		...one,
		windows: limits.describe(one.id, one.plan),
	}));
	const active = all.filter(({ windows }) => windows.some(({ used }) => used > 0));
	const slides = switches.rateLimitWindows === 'sliding';
	return html`<div class="cards">
		${(active.length > 0 ? active : all.slice(0, 1)).map(
			({ id, name, windows }) =>
				html`<section class="card" aria-labelledby="gauge-${id}">
					<h3 id="gauge-${id}">Requests of ${userText(name)}</h3>
					${windows.map((one) => gauge(one, slides))}
				</section>`,
		)}
	</div>`;
}

type WindowState = ReturnType<Service['limits']['describe']>[number];

function gauge({ name, used, limit, resetAt }: WindowState, slides: boolean): Html {
	const left = limit - used;
	const mood = left === 0 ? 'bad' : left < limit / 10 ? 'warn' : 'good';
	const at = `${new Date(resetAt).toISOString().slice(11, 19)} UTC`;
	const next = left === 0 ? 'The next request is taken at' : 'More are free at';
	const sentence = used === 0 ? 'None is used.' : `${slides ? next : chooseNext(left)} ${at}.`;
	return html`<p class="gauge ${mood}">
		<b>${left.toLocaleString('en')} left</b> of ${limit.toLocaleString('en')} in this ${name}
		<svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
			<rect width="100" height="4" class="rest" />
			<rect width="${(used / limit) * 100}" height="4" />
		</svg>
		<span class="quiet">${sentence}</span>
	</p>`;
}

function chooseNext(left: number): string {
	return left === 0 ? 'The next request is taken at' : 'All are free again at';
}

/** The requests of the last minute, a bar for each second, which grows from the right. */
export function strip({ journal, clock }: Service): Html {
	const now = Math.floor(clock.now() / second);
	const bars = Array.from({ length: stripSeconds }, () => ({ good: 0, warn: 0, bad: 0 }));
	for (const { time, status } of journal.listOutcomes()) {
		const bar = bars[stripSeconds - 1 - (now - Math.floor(Date.parse(time) / second))];
		if (bar) bar[status === null || status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good'] += 1;
	}
	const sum = (mood: 'good' | 'warn' | 'bad') => bars.reduce((all, bar) => all + bar[mood], 0);
	const [good, warn, bad] = [sum('good'), sum('warn'), sum('bad')];
	const highest = Math.max(10, ...bars.map((bar) => bar.good + bar.warn + bar.bad));
	const label =
		good + warn + bad === 0
			? 'No request in the last minute'
			: `${formatCount(good + warn + bad, 'request')} in the last minute: ${good} succeeded, ${warn} refused, ${bad} failed`;
	return html`<figure class="strip">
		<svg
			viewBox="0 0 ${stripSeconds} ${highest}"
			preserveAspectRatio="none"
			role="img"
			aria-label="${label}"
		>
			${bars.map((bar, at) => column(bar, at, highest))}
		</svg>
		<figcaption class="quiet">${label}.</figcaption>
	</figure>`;
}

function column(bar: { good: number; warn: number; bad: number }, x: number, bottom: number) {
	let y = bottom;
	return (['good', 'warn', 'bad'] as const).map((mood) => {
		const height = bar[mood];
		y -= height;
		return height === 0
			? ''
			: html`<rect class="${mood}" x="${x + 0.1}" y="${y}" width="0.8" height="${height}" />`;
	});
}
