import { html } from 'hono/html';
import { isObject, readText } from '../platform/json.mts';
import type { JsonObject } from '../platform/json.mts';
import { createPageContext, fetchRecords, findDataset } from './datasets.mts';
import type { Dataset } from './datasets.mts';
import { table, timestamp, toWords, userText } from './elements.mts';
import type { Html } from './elements.mts';
import { Form } from './forms.mts';
import { taskColumns } from './record-lists.mts';
import type { Page, PageRequest } from './request.mts';
import type { PageRoutes } from './routes.mts';

/** The most tasks and the most entries of the audit log that the page of a dossier lists. */
const listed = 50;

/** The form that adds a task to a dossier. */
export function addTaskForm(routes: PageRoutes, path: string, page: Page): void {
	routes.form(`${path}/tasks`, page, ({ context, service }, fields) => {
		const dataset = findDataset(service, context);
		const id = context.req.param('id') ?? '';
		const { due, ...given } = Object.fromEntries(fields);
		const body = { ...given, ...(due !== undefined && { due_at: `${due}:00Z` }), dossier_id: id };
		const operation = service.contract.operation('tasks.create');
		service.validation.checkRequestBody(operation, 'application/json', body);
		service.tasks.create(createPageContext(service, dataset, context), body);
		return `${dataset.path}/dossiers/${encodeURIComponent(id)}?done=task-created#tasks`;
	});
}

export function taskForm(request: PageRequest, { path }: Dataset, { id }: JsonObject): Html {
	const form = new Form(
		request,
		`${path}/dossiers/${encodeURIComponent(readText(id) ?? '')}/tasks`,
	);
	return html`<section class="card" aria-labelledby="add-task">
		<h2 id="add-task">Add a task</h2>
		${form.html(
			[
				form.input({ name: 'title', label: 'What is to be done', maxlength: 200, required: true }),
				form.input({ name: 'due', label: 'Due, in UTC (optional)', type: 'datetime-local' }),
				form.choice({
					name: 'priority',
					label: 'Priority',
					choices: ['low', 'normal', 'high', 'urgent'].map((value) => ({
						value,
						label: toWords(value),
					})),
					value: 'normal',
				}),
			],
			'Add the task',
		)}
		<p class="hint">
			A day before it is due, the event <code>task.due_soon</code> goes to
			<a href="/_sandbox/webhooks">webhooks</a>. To see it at once,
			<a href="/_sandbox/controls#clock">move the clock</a>.
		</p>
	</section>`;
}

/** The tasks of a dossier. `n`: its row. */
export function taskSection({ service }: PageRequest, n: number): Html {
	const { records } = fetchRecords(
		service,
		{ sql: 'dossier = ?', value: n },
		{ table: 'tasks', store: service.tasks },
		{ page: 1, size: listed },
	);
	return html`<h2 id="tasks">Tasks</h2>
		${table('Tasks', taskColumns(service), records, 'There are no tasks for this dossier yet.')}`;
}

/** The history of a dossier, its documents and its tasks, from the audit log; the newest first. */
export function timeline({ service }: PageRequest, n: number, id: string): Html {
	const { records } = fetchRecords(
		service,
		{ sql: ofDossier, value: JSON.stringify({ n, id }) },
		{ table: 'audit_entries', tie: 'n', store: service.audit },
		{ page: 1, size: listed },
	);
	return html`<section class="card" aria-labelledby="timeline">
		<h2 id="timeline">What happened</h2>
		<ol class="timeline">
			${records.map(timelineEntry)}
		</ol>
	</section>`;
}

/** Entries about a dossier, about its documents, also deleted ones, and about its tasks. */
const ofDossier = `target_id IN (
	WITH wanted AS (SELECT value ->> 'n' AS n, value ->> 'id' AS id FROM (SELECT ? AS value))
	SELECT id FROM wanted
	UNION ALL SELECT documents.id FROM documents JOIN wanted ON dossier = wanted.n
	UNION ALL SELECT tasks.id FROM tasks JOIN wanted ON dossier = wanted.n
	UNION ALL SELECT body ->> '$.data.document_id' FROM events JOIN wanted
		ON kind = 'document.deleted' AND body ->> '$.data.dossier_id' = wanted.id
)`;

function timelineEntry({ action, actor, target, changes, created_at }: JsonObject): Html {
	const [kind = '', verb = ''] = (readText(action) ?? '').split('.');
	const who = isObject(actor) ? (readText(actor.name) ?? toWords(readText(actor.type) ?? '')) : '';
	const label = isObject(target) && kind !== 'dossier' ? readText(target.label) : null;
	const changed = Object.keys(isObject(changes) ? changes : {}).map(toWords);
	const rest = changed.length === 0 ? '' : `: ${changed.join(', ')}`;
	return html`<li>
		${timestamp(readText(created_at))}
		<div>
			<b>${toWords(`${kind}_${verb}`)}</b>${rest} ${label === null ? '' : userText(label)}
			<span class="quiet">by <bdi>${who}</bdi></span>
		</div>
	</li>`;
}
