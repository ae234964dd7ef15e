import { html } from 'hono/html';
import { nameProfile, profiles, switchTable } from '../contract/switches.mts';
import { readAssumptionTitles } from './assumption-titles.mts';
import { badge, facts, timestamp, toWords } from './elements.mts';
import type { Html } from './elements.mts';
import { button, Form } from './forms.mts';
import { callControl } from './request.mts';
import type { PageContent, PageRequest } from './request.mts';
import type { PageRoutes } from './routes.mts';

const home = '/_sandbox/controls';
const steps = ['days', 'hours', 'minutes', 'seconds'];

/** The clock, the switches, the rate limits, and the reset. */
export function addControlPages(routes: PageRoutes): void {
	routes.page('/controls', renderControls);
	routes.form('/controls/clock', renderControls, async (request, fields) => {
		if (fields.size === 0) throw new RangeError('Enter how far the clock moves.');
		await callControl(request, 'post /clock', fields);
		return `${home}?done=moved`;
	});
	routes.commands(renderControls, [
		['/controls/profile', 'patch /switches', '/controls?done=switched#switches'],
		['/controls/switches', 'patch /switches', '/controls?done=switched#switches'],
		['/controls/limits', 'put /limits', '/controls?done=limited#limits'],
	]);
	routes.form('/controls/reset', renderControls, async (request, fields) => {
		if (!fields.has('sure')) throw new RangeError("Tick the box first. This can't be undone.");
		await callControl(request, 'post /reset');
		return `${home}?done=reset#reset`;
	});
}

function renderControls(request: PageRequest): PageContent {
	const body = html`<p class="lead">
			The clock, the switches, the rate limits, and the way back to the first start.
		</p>
		${clockSection(request)} ${switchSection(request)} ${limitSection(request)}
		${resetSection(request)}`;
	return { title: 'Controls', section: 'Controls', body };
}

function clockSection(request: PageRequest): Html {
	const { clock, deliveries, dueSoon } = request.service;
	const form = new Form(request, `${home}/clock`);
	const seconds = Math.round(clock.offset / 1000);
	const jump = (label: string, name: string, value: string) =>
		button(`${home}/clock`, label, { sends: { [name]: value } });
	const next = (label: string, value: string, at: number | undefined) =>
		at === undefined
			? html`<p class="hint">${label}: there is none.</p>`
			: html`<div class="jump">
					${jump(label, 'to', value)}
					<span class="hint">${timestamp(new Date(at).toISOString())}</span>
				</div>`;
	return html`<h2 id="clock">Clock</h2>
		${facts([
			['Service', timestamp(clock.iso())],
			['This machine', timestamp(new Date().toISOString())],
		])}
		<p class="hint">
			Rate limits, retries, due dates and sign-ins use the clock of the service. Move it instead of
			waiting.
			${seconds === 0 ? '' : `It is ${formatSpan(seconds)} ${seconds > 0 ? 'ahead' : 'behind'}.`}
		</p>
		<div class="actions jumps">
			${jump('+1 hour', 'hours', '1')} ${jump('+1 day', 'days', '1')}
			${next('To the next retry', 'next_delivery', deliveries.nextDue())}
			${next('To the next due task', 'next_due_task', dueSoon.nextAt())}
			${clock.offset === 0 ? '' : jump("Back to this machine's time", 'reset', 'true')}
		</div>
		<div class="cards">
			<section class="card" aria-label="Move the clock">
				${form.html(
					html`<div class="row">
						${steps.map((step) =>
							form.input({ name: step, label: toWords(step), type: 'number', step: 'any' }),
						)}
					</div>`,
					'Move the clock',
				)}
			</section>
			<section class="card" aria-label="Set the clock">
				${form.html(
					form.input({
						name: 'set',
						label: 'Time in UTC',
						type: 'datetime-local',
						step: 1,
						required: true,
						value: clock.iso().slice(0, 19),
					}),
					'Set the clock',
					'plain',
				)}
			</section>
		</div>`;
}

/** A number of seconds as a person says it: `2 days 3 hours`. */
function formatSpan(seconds: number): string {
	let rest = Math.abs(seconds);
	const parts = Object.entries({ day: 86_400, hour: 3600, minute: 60, second: 1 }).flatMap(
		([unit, length]) => {
			const count = Math.floor(rest / length);
			rest -= count * length;
			return count === 0 ? [] : [`${count} ${unit}${count === 1 ? '' : 's'}`];
		},
	);
	return parts.slice(0, 2).join(' ');
}

function switchSection(request: PageRequest): Html {
	const { service } = request;
	const current = nameProfile(service.switches);
	const titles = readAssumptionTitles();
	const profile = new Form(request, `${home}/profile`);
	const single = new Form(request, `${home}/switches`);
	const positions = new Map(Object.entries(service.switches));
	return html`<h2 id="switches">Profile and switches</h2>
		<p>
			The description of the service leaves gaps. Each switch is for one of them, and its positions
			for what the real service may do. Profile in force:
			${badge(current ?? 'none, because single switches differ')}
		</p>
		${profile.html(
			profile.choice({
				name: 'profile',
				label: 'Profile',
				choices: Object.keys(profiles),
				value: current ?? 'default',
				hint: 'default: the choices of the contract. given-only: only what the description of the service states. alternate: everything that can differ, differs.',
			}),
			'Apply profile',
		)}
		<details
			${current === undefined || request.refused?.action === `${home}/switches` ? 'open' : ''}
		>
			<summary>Single switches</summary>
			${single.html(
				html`<div class="grid">
					${Object.entries(switchTable).map(([name, { assumption, values }]) =>
						single.choice({
							name: `switches.${name}`,
							label: toWords(name.replaceAll(/([A-Z])/g, (letter) => `_${letter.toLowerCase()}`)),
							choices: [...values],
							value: positions.get(name),
							hint: `${assumption}: ${titles.get(assumption) ?? ''}`,
						}),
					)}
				</div>`,
				'Set the switches',
			)}
		</details>
		<details>
			<summary>All assumptions (${titles.size})</summary>
			<ul class="plain-list">
				${[...titles].map(([number, title]) => html`<li>${badge(number)} ${title}</li>`)}
			</ul>
		</details>`;
}

function limitSection(request: PageRequest): Html {
	const { rule } = request.service.limits;
	const form = new Form(request, `${home}/limits`);
	const numbers = typeof rule === 'string' ? undefined : rule;
	return html`<h2 id="limits">Rate limits</h2>
		${form.html(
			html`<div class="row">
				${form.choice({
					name: 'rule',
					label: 'Limits',
					value: typeof rule === 'string' ? rule : '',
					choices: [
						{ value: 'plan', label: 'those of the plans' },
						{ value: 'off', label: 'none' },
						{ value: '', label: 'these, for everybody:' },
					],
				})}
				${form.input({
					name: 'per_minute',
					label: 'Requests a minute',
					type: 'number',
					min: 1,
					value: numbers && String(numbers.perMinute),
				})}
				${form.input({
					name: 'per_hour',
					label: 'Requests an hour',
					type: 'number',
					min: 1,
					value: numbers && String(numbers.perHour),
				})}
			</div>`,
			'Set the limits',
		)}`;
}

function resetSection(request: PageRequest): Html {
	const form = new Form(request, `${home}/reset`);
	return html`<h2 id="reset">Reset</h2>
		${form.html(
			form.consent(
				'sure',
				"Remove everything that was stored since the first start. This can't be undone.",
			),
			'Reset',
			'risky',
		)}`;
}
