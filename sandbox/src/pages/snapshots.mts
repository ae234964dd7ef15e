import { html } from 'hono/html';
import { readText } from '../platform/json.mts';
import { table, timestamp } from './elements.mts';
import type { Html } from './elements.mts';
import { button, Form } from './forms.mts';
import { callControl } from './request.mts';
import type { Page, PageRequest } from './request.mts';
import type { PageRoutes } from './routes.mts';

const home = '/_sandbox/controls';

/** The forms that take, restore and remove snapshots, and reset the sandbox. */
export function addSnapshotForms(routes: PageRoutes, page: Page): void {
	const then = (done: string) => `/controls?done=snapshot-${done}#snapshots`;
	routes.commands(page, [
		['/controls/snapshots', 'put /snapshots/{name}', then('taken')],
		['/controls/snapshots/restore', 'post /snapshots/{name}/restore', then('restored')],
		['/controls/snapshots/remove', 'delete /snapshots/{name}', then('removed')],
	]);

	routes.form('/controls/reset', page, async (request, fields) => {
		if (!fields.has('sure')) throw new RangeError("Tick the box first. This can't be undone.");
		await callControl(request, 'post /reset');
		return `${home}?done=reset#snapshots`;
	});
}

/** The snapshots, and the reset. */
export function snapshotSection(request: PageRequest): Html {
	const take = new Form(request, `${home}/snapshots`);
	const reset = new Form(request, `${home}/reset`);
	const act = (action: 'restore' | 'remove', name: string) =>
		button(
			`${home}/snapshots/${action}`,
			html`${action === 'restore' ? 'Restore' : 'Remove'}<span class="unseen"> ${name}</span>`,
			{ mood: action === 'restore' ? 'plain' : 'risky', sends: { name } },
		);
	return html`<h2 id="snapshots">Snapshots and reset</h2>
		<p>A snapshot holds everything that is stored, keys and the clock included.</p>
		${table(
			'Snapshots',
			[
				{ head: 'Name', cell: ({ name }) => html`<bdi>${name}</bdi>` },
				{ head: 'Taken', cell: ({ taken_at }) => timestamp(readText(taken_at)) },
				{
					head: 'Restore or remove',
					kind: 'action',
					cell: ({ name }) => html`${act('restore', name)} ${act('remove', name)}`,
				},
			],
			request.service.snapshots.list(),
			'There are no snapshots yet.',
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
						hint: 'Letters, digits, - and _. A snapshot of the same name is replaced.',
					}),
					'Take a snapshot',
				)}
			</section>
			<section class="card" aria-label="Reset">
				${reset.html(
					reset.consent(
						'sure',
						"Remove everything that was stored since the first start. This can't be undone.",
					),
					'Reset',
					'risky',
				)}
			</section>
		</div>`;
}
