import { html } from 'hono/html';
import { isObject, readText } from '../platform/json.ts';
import type { JsonObject } from '../platform/json.ts';
import { profiles, switchTable } from '../contract/switches.ts';
import { toWords } from './data.ts';
import { badge, facts, timestamp } from './elements.ts';
import type { Html } from './elements.ts';
import { Form } from './forms.ts';
import type { PageRoutes } from './routes.ts';
import { snapshotForms, statePart } from './state.ts';
import { bodyOf, command, first } from './request.ts';
import type { PageContent, PageRequest } from './request.ts';

const home = '/_sandbox/controls';
const steps = ['days', 'hours', 'minutes', 'seconds'];

/** The clock, how answers are worded, the rate limits, and the state as a whole. */
export function controlPages(routes: PageRoutes): void {
	routes.page('/controls', controls);

	routes.form('/controls/clock', controls, async (request, fields) => {
		const moved = bodyOf(fields, [], steps);
		if (steps.every((step) => moved[step] === undefined)) {
			throw new RangeError('Say how far the clock is to be moved.');
		}
		await command(request, 'POST', '/clock', moved);
		return `${home}?done=moved`;
	});

	routes.form('/controls/clock-set', controls, async (request, fields) => {
		await command(request, 'POST', '/clock', { set: `${first(fields, 'set') ?? ''}Z` });
		return `${home}?done=moved`;
	});

	routes.form('/controls/clock-reset', controls, async (request) => {
		await command(request, 'POST', '/clock', { reset: true });
		return `${home}?done=moved`;
	});

	routes.form('/controls/profile', controls, async (request, fields) => {
		await command(request, 'PATCH', '/switches', { profile: first(fields, 'profile') });
		return `${home}?done=switched#wording`;
	});

	routes.form('/controls/switches', controls, async (request, fields) => {
		const switches = Object.fromEntries([...fields].map(([name, [value]]) => [name, value]));
		await command(request, 'PATCH', '/switches', { switches });
		return `${home}?done=switched#wording`;
	});

	routes.form('/controls/limits', controls, async (request, fields) => {
		const rule = first(fields, 'rule');
		const numbers = bodyOf(fields, [], ['per_minute', 'per_hour']);
		await command(request, 'PUT', '/limits', rule === 'numbers' ? numbers : { rule });
		return `${home}?done=limited#limits`;
	});

	snapshotForms(routes, controls);
}

async function controls(request: PageRequest): Promise<PageContent> {
	const [{ profile }, assumptions] = await Promise.all([
		command(request, 'GET', '/switches'),
		command(request, 'GET', '/assumptions'),
	]);
	const body = html`<p class="lead">
			The clock, how answers are worded, the rate limits, and what is stored as a whole.
		</p>
		${clockPart(request)} ${wordingPart(request, readText(profile), titlesIn(assumptions))}
		${limitsPart(request)} ${await statePart(request)}`;
	return { title: 'Controls', section: 'Controls', body };
}

function clockPart(request: PageRequest): Html {
	const { clock } = request.service;
	const [move, set, reset] = ['clock', 'clock-set', 'clock-reset'].map(
		(one) => new Form(request, `${home}/${one}`),
	);
	const seconds = Math.round(clock.offset / 1000);
	return html`<h2 id="clock">Clock</h2>
		${facts([
			['The service has', html`${timestamp(clock.iso())} UTC`],
			['This machine has', html`${timestamp(new Date().toISOString())} UTC`],
		])}
		<p class="hint">
			Rate limits, retries, due dates and sign-ins go by it, so nobody has to wait for them.
			${seconds === 0
				? ''
				: `It is ${Math.abs(seconds)} seconds ${seconds > 0 ? 'ahead' : 'behind'}.`}
		</p>
		<div class="cards">
			<section class="card" aria-label="Move the clock">
				${move?.html(
					html`<div class="row">
						${steps.map((step) =>
							move.input({ name: step, label: toWords(step), type: 'number', step: 'any' }),
						)}
					</div>`,
					'Move the clock',
				)}
			</section>
			<section class="card" aria-label="Set the clock">
				${set?.html(
					set.input({
						name: 'set',
						label: 'Moment in UTC',
						type: 'datetime-local',
						step: 1,
						required: true,
						value: clock.iso().slice(0, 19),
					}),
					'Set the clock',
					'plain',
				)}
				${clock.offset === 0 ? '' : reset?.html([], "Back to this machine's time", 'plain')}
			</section>
		</div>`;
}

function wordingPart(
	request: PageRequest,
	current: string | null,
	titles: Map<string, string>,
): Html {
	const profile = new Form(request, `${home}/profile`);
	const single = new Form(request, `${home}/switches`);
	const positions = new Map(Object.entries(request.service.switches));
	const names = Object.keys(profiles).map((value) => ({ value, label: value }));
	return html`<h2 id="wording">Wording of answers</h2>
		<p>
			The description of the service leaves gaps. Each switch is one of them, with what the real
			service may do. The profile in force: ${badge(current ?? 'none, single switches differ')}
		</p>
		${profile.html(
			profile.choice({
				name: 'profile',
				label: 'Profile',
				choices: names,
				value: current ?? 'default',
				hint: 'default is what the contract chose, given-only has nothing that the description does not give, alternate differs wherever it may.',
			}),
			'Take this profile',
		)}
		<details ${current === null || request.refused?.action === `${home}/switches` ? 'open' : ''}>
			<summary>Single switches</summary>
			${single.html(
				html`<div class="grid">
					${Object.entries(switchTable).map(([name, { assumption, values }]) =>
						single.choice({
							name,
							label: toWords(name.replaceAll(/([A-Z])/g, (letter) => `_${letter.toLowerCase()}`)),
							choices: values.map((value) => ({ value, label: value })),
							value: positions.get(name),
							hint: `${assumption} ${titles.get(assumption) ?? ''}`,
						}),
					)}
				</div>`,
				'Set the switches',
			)}
		</details>
		<details>
			<summary>Everything that is assumed (${titles.size})</summary>
			<ul class="plain-list">
				${[...titles].map(([number, title]) => html`<li>${badge(number)} ${title}</li>`)}
			</ul>
		</details>`;
}

function limitsPart(request: PageRequest): Html {
	const { rule } = request.service.limits;
	const form = new Form(request, `${home}/limits`);
	const numbers = typeof rule === 'string' ? undefined : rule;
	return html`<h2 id="limits">Rate limits</h2>
		${form.html(
			html`<div class="row">
				${form.choice({
					name: 'rule',
					label: 'Limits',
					value: typeof rule === 'string' ? rule : 'numbers',
					choices: [
						{ value: 'plan', label: 'what the plans allow' },
						{ value: 'off', label: 'none' },
						{ value: 'numbers', label: 'these numbers for everybody:' },
					],
				})}
				${form.input({
					name: 'per_minute',
					label: 'A minute',
					type: 'number',
					min: 1,
					value: numbers && String(numbers.perMinute),
				})}
				${form.input({
					name: 'per_hour',
					label: 'An hour',
					type: 'number',
					min: 1,
					value: numbers && String(numbers.perHour),
				})}
			</div>`,
			'Set the limits',
		)}`;
}

function titlesIn({ data }: JsonObject): Map<string, string> {
	const list = Array.isArray(data) ? data.filter(isObject) : [];
	return new Map(list.map(({ number, title }) => [readText(number) ?? '', readText(title) ?? '']));
}
