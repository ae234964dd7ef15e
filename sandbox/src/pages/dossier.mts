import { html } from 'hono/html';
import { readText } from '../platform/json.mts';
import type { JsonObject } from '../platform/json.mts';
import { createPageContext, fetchRecords, findDataset, perPage } from './datasets.mts';
import type { Dataset } from './datasets.mts';
import { pager, table, toWords } from './elements.mts';
import type { Html } from './elements.mts';
import { answerWaitMs } from './deliveries.mts';
import { Form } from './forms.mts';
import { fieldFacts } from './fields.mts';
import { sentEvent } from './sent-event.mts';
import { addTaskForm, taskForm, taskSection, timeline } from './dossier-parts.mts';
import { documentColumns } from './record-lists.mts';
import { recordContent } from './records.mts';
import { addUpload } from './upload.mts';
import type { PageRoutes } from './routes.mts';
import { readPageNumber } from './request.mts';
import type { PageContent, PageRequest } from './request.mts';
import type { EventKind } from '../webhooks/events.mts';

const categories =
	'contract identity_document invoice correspondence certificate tax payslip other'.split(' ');
/** The event that a form has sent, by the word in the address to which it leads (`?done=…`). */
const sentKinds = new Map<string, EventKind>([
	['created', 'dossier.created'],
	['uploaded', 'document.uploaded'],
]);
const path = '/records/:organization/:environment/dossiers/:id';

/** One dossier with its documents, its tasks and what happened to it. */
export function addDossierPages(routes: PageRoutes): void {
	routes.page(path, renderDossier);
	addTaskForm(routes, path, renderDossier);

	routes.upload(`${path}/documents`, renderDossier, async ({ context, service }) => {
		const dataset = findDataset(service, context);
		const id = context.req.param('id') ?? '';
		service.dossiers.find(dataset.n, id);
		const origin = createPageContext(service, dataset, context);
		await addUpload(service, context.env.incoming, origin, id);
		await service.dispatch.idle(answerWaitMs);
		return `${dataset.path}/dossiers/${encodeURIComponent(id)}?done=uploaded`;
	});
}

function renderDossier(request: PageRequest): PageContent {
	const { service, context } = request;
	const dataset = findDataset(service, context);
	const { n, fields } = service.dossiers.find(dataset.n, context.req.param('id') ?? '');
	const page = readPageNumber(request);
	const within = { sql: 'dossier = ?', value: n };
	const documents = { table: 'documents', store: service.documents } as const;
	const { records, total } = fetchRecords(service, within, documents, { page });
	const sent = sentKinds.get(context.req.query('done') ?? '');
	const body = html`<p><a href="${dataset.path}/dossiers">All dossiers</a></p>
		${sent ? sentEvent(request, dataset, sent) : ''}
		<h2 id="documents">Documents</h2>
		${table(
			'Documents',
			documentColumns(service, dataset),
			records,
			'There are no documents in this dossier yet.',
		)}
		${pager({ page, perPage, total }, (other) => `?page=${other}#documents`)}
		${taskSection(request, n)}
		<div class="cards">
			${uploadForm(request, dataset, fields)} ${taskForm(request, dataset, fields)}
			<section class="card" aria-labelledby="fields">
				<h2 id="fields">Fields</h2>
				${fieldFacts(request, fields, ['title', 'document_count'])}
			</section>
			${timeline(request, n, readText(fields.id) ?? '')}
		</div>`;
	return recordContent(dataset, readText(fields.title) ?? '', body);
}

function uploadForm(
	request: PageRequest,
	{ path: base }: Dataset,
	{ id, status }: JsonObject,
): Html {
	if (status === 'archived') {
		return html`<p class="hint">The dossier is archived and therefore read-only.</p>`;
	}
	const action = `${base}/dossiers/${encodeURIComponent(readText(id) ?? '')}/documents`;
	const form = new Form(request, action, { file: true });
	const choices = categories.map((value) => ({ value, label: toWords(value) }));
	return html`<section class="card" aria-labelledby="upload">
		<h2 id="upload">Upload a document</h2>
		${form.html(
			[
				form.choice({ name: 'category', label: 'Category', choices, value: 'other' }),
				form.input({ name: 'title', label: 'Title (optional)', maxlength: 200 }),
				// Last, so that the other fields arrive before its bytes.
				form.input({ name: 'file', label: 'File', type: 'file', required: true }),
			],
			'Upload',
		)}
		<p class="hint">
			Like any upload, it sends the event <code>document.uploaded</code> to
			<a href="/_sandbox/webhooks">webhooks</a>.
		</p>
	</section>`;
}
