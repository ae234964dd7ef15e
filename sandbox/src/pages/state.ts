import { html } from 'hono/html';
import { isObject, readText } from '../platform/json.ts';
import { timestamp, table } from './elements.ts';
import type { Html } from './elements.ts';
import { Form } from './forms.ts';
import type { PageRoutes } from './routes.ts';
import { command, first } from './request.ts';
import type { Page, PageRequest } from './request.ts';

const home = '/_sandbox/controls';

/** The forms that keep everything that is stored, and bring it back. */
export function snapshotForms(routes: PageRoutes, page: Page): void {
	routes.form('/controls/snapshots', page, async (request, fields) => {
		await command(request, 'PUT', `/snapshots/${named(first(fields, 'name'))}`);
		return `${home}?done=snapshot-taken#state`;
	});

	routes.form('/controls/snapshots/restore', page, async (request, fields) => {
		await command(request, 'POST', `/snapshots/${named(first(fields, 'name'))}/restore`);
		return `${home}?done=snapshot-restored#state`;
	});

	routes.form('/controls/snapshots/remove', page, async (request, fields) => {
		await command(request, 'DELETE', `/snapshots/${named(first(fields, 'name'))}`);
		return `${home}?done=snapshot-removed#state`;
	});

	routes.form('/controls/reset', page, async (request, fields) => {
		if (first(fields, 'sure') === undefined) {
			throw new RangeError('Tick the box first: everything that is stored goes.');
		}
		await command(request, 'POST', '/reset');
		return `${home}?done=reset#state`;
	});
}

function named(name: string | undefined): string {
	if (name === undefined || name === '.' || name === '..') {
		throw new RangeError('Give the snapshot a name of letters, digits, - and _.');
	}
	return encodeURIComponent(name);
}

/** The snapshots, and the way back to the beginning. */
export async function statePart(request: PageRequest): Promise<Html> {
	const { data } = await command(request, 'GET', '/snapshots');
	const snapshots = (Array.isArray(data) ? data.filter(isObject) : []).map((one) => ({
		name: readText(one.name) ?? '',
		takenAt: readText(one.taken_at),
	}));
	const take = new Form(request, `${home}/snapshots`);
	const reset = new Form(request, `${home}/reset`);
	const button = (action: string, name: string, mood: 'plain' | 'risky') => {
		const form = new Form(request, `${home}/snapshots/${action}`);
		const what = html`<span class="unseen"> ${name}</span>`;
		return form.html(
			form.hidden('name', name),
			html`${action === 'restore' ? 'Restore' : 'Remove'}${what}`,
			mood,
		);
	};
	return html`<h2 id="state">Snapshots and reset</h2>
		<p>A snapshot holds everything that is stored, keys and the clock included.</p>
		${table(
			'Snapshots',
			[
				{ head: 'Name', cell: ({ name }) => html`<bdi>${name}</bdi>` },
				{ head: 'Taken', cell: ({ takenAt }) => timestamp(takenAt) },
				{
					head: 'Restore or remove',
					kind: 'action',
					cell: ({ name }) =>
						html`${button('restore', name, 'plain')} ${button('remove', name, 'risky')}`,
				},
			],
			snapshots,
			'There is no snapshot yet.',
		)}
		<div class="cards">
			<section class="card" aria-label="Take a snapshot">
				${take.html(
					take.input({
						name: 'name',
						label: 'Name of the snapshot',
						maxlength: 64,
						pattern: '[A-Za-z0-9][\\w\\-]*',
						required: true,
						hint: 'Letters, digits, - and _. One of the same name is replaced.',
					}),
					'Take a snapshot',
				)}
			</section>
			<section class="card" aria-label="Reset">
				${reset.html(
					reset.consent('sure', 'Remove everything that is stored since the first start'),
					'Reset',
					'risky',
				)}
			</section>
		</div>`;
}
