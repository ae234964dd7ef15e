import { Readable } from 'node:stream';
import { html } from 'hono/html';
import { readText } from '../platform/json.ts';
import type { Json, JsonObject } from '../platform/json.ts';
import { openFile } from '../operations/open-file.ts';
import { auditTarget } from '../accounts/audit.ts';
import { receiveUpload } from '../http/upload/receive.ts';
import { actIn, datasetAt, idShown, perPage, recordsOf, words } from './data.ts';
import type { Dataset } from './data.ts';
import { badge, copyable, facts, moment, pager, size, stored, table } from './elements.ts';
import type { Html } from './elements.ts';
import { Form } from './forms.ts';
import { sheetOf } from './records.ts';
import type { PageRoutes } from './routes.ts';
import { pageOf } from './visit.ts';
import type { Sheet, Visit } from './visit.ts';

const categories =
	'contract identity_document invoice correspondence certificate tax payslip other'.split(' ');
const path = '/records/:organization/:environment/dossiers/:id';

/** One dossier with its documents, which can be downloaded and added to. */
export function dossierPages(routes: PageRoutes): void {
	routes.page(path, dossier);

	routes.upload(`${path}/documents`, dossier, async ({ context, service }) => {
		const dataset = datasetAt(service, context);
		const id = context.req.param('id') ?? '';
		service.dossiers.find(dataset.n, id);
		const operation = service.contract.operation('documents.upload');
		const { maxFileBytes } = service.options;
		await receiveUpload(
			context.env.incoming,
			service.files,
			{
				maxFileBytes,
				formats: 'both',
				judge: (type, body) =>
					service.validation.checkRequestBody(operation, type, withoutBlanks(body)),
			},
			(upload) => {
				const fields = withoutBlanks(upload.fields);
				service.documents.add(actIn(service, dataset, context), id, { ...upload, fields });
			},
		);
		return `${dataset.path}/dossiers/${encodeURIComponent(id)}?done=uploaded#documents`;
	});

	routes.other(
		'/records/:organization/:environment/documents/:id/download',
		async ({ context, service }) => {
			const dataset = datasetAt(service, context);
			const document = service.documents.find(dataset.n, context.req.param('id') ?? '');
			const { file, headers } = await openFile(service.files, document);
			const act = actIn(service, dataset, context);
			service.audit.record(act, 'document.downloaded', auditTarget('document', document, 'title'));
			const content = Readable.toWeb(file.createReadStream());
			const texts = Object.entries(headers).map(([name, value]): [string, string] => [
				name,
				String(value),
			]);
			return context.body(content, 200, Object.fromEntries(texts));
		},
	);
}

/** A field that was left empty is as good as none; the file is told by an empty one. */
function withoutBlanks(body: JsonObject): JsonObject {
	const entries = Object.entries(body).filter(([name, value]) => value !== '' || name === 'file');
	return Object.fromEntries(entries);
}

function dossier(visit: Visit): Sheet {
	const { service, context } = visit;
	const dataset = datasetAt(service, context);
	const { n, fields } = service.dossiers.find(dataset.n, context.req.param('id') ?? '');
	const page = pageOf(visit);
	const { records, total } = recordsOf(
		service,
		{ sql: 'dossier = ?', value: n },
		{
			table: 'documents',
			fieldsOf: (row) => service.documents.readFields(row),
			search: undefined,
			page,
		},
	);
	const body = html`<p><a href="${dataset.path}/dossiers">All dossiers</a></p>
		<h2 id="documents">Documents</h2>
		${documentTable(visit, dataset, records)}
		${pager({ page, perPage, total }, (other) => `?page=${other}#documents`)}
		<div class="cards">
			${uploadForm(visit, dataset, fields)}
			<section class="card" aria-labelledby="fields">
				<h2 id="fields">Fields</h2>
				${facts(
					Object.entries(fields)
						.filter(([name]) => name !== 'title' && name !== 'document_count')
						.map(([name, value]) => [words(name), valueShown(visit, name, value)]),
				)}
			</section>
		</div>`;
	return sheetOf(dataset, readText(fields.title) ?? '', body);
}

function documentTable({ service }: Visit, { path: base }: Dataset, documents: JsonObject[]): Html {
	return table(
		'Documents',
		[
			{
				head: 'File',
				cell: (one) =>
					html`<a
						href="${base}/documents/${encodeURIComponent(readText(one.id) ?? '')}/download"
						download
						>${stored(readText(one.file_name))}</a
					>`,
			},
			{ head: 'Title', cell: (one) => stored(readText(one.title)) },
			{ head: 'Category', cell: (one) => badge(words(readText(one.category) ?? '')) },
			{ head: 'Size', kind: 'number', cell: (one) => size(Number(one.size_bytes)) },
			{ head: 'Added', cell: (one) => moment(readText(one.created_at)) },
			{ head: 'ID', cell: (one) => copyable(idShown(service, readText(one.id)), 'the ID') },
		],
		documents,
		'There are no documents in it yet.',
	);
}

function uploadForm(visit: Visit, { path: base }: Dataset, { id, status }: JsonObject): Html {
	if (status === 'archived') {
		return html`<p class="hint">The dossier is archived, which makes it read-only.</p>`;
	}
	const action = `${base}/dossiers/${encodeURIComponent(readText(id) ?? '')}/documents`;
	const form = new Form(visit, action, { file: true });
	const choices = categories.map((value) => ({ value, label: words(value) }));
	return html`<section class="card" aria-labelledby="upload">
		<h2 id="upload">Upload a document</h2>
		${form.html(
			[
				form.choice({ name: 'category', label: 'Category', choices, value: 'other' }),
				form.input({ name: 'title', label: 'Title (optional)', maxlength: 200 }),
				// Last, so that everything else is known when its bytes come.
				form.input({ name: 'file', label: 'File', type: 'file', required: true }),
			],
			'Upload',
		)}
		<p class="hint">
			It counts as any upload: the event <code>document.uploaded</code> goes out to
			<a href="/_sandbox/webhooks">webhooks</a>.
		</p>
	</section>`;
}

function valueShown({ service }: Visit, name: string, value: Json | undefined): Html {
	if (name === 'id') return copyable(idShown(service, readText(value)), 'the ID');
	if (name === 'status') return badge(words(readText(value) ?? ''));
	if (name.endsWith('_at')) return moment(readText(value));
	if (typeof value === 'string')
		return stored(name.endsWith('_by') ? idShown(service, value) : value);
	if (value === null || value === undefined || Object.keys(value).length === 0) return stored(null);
	if (Array.isArray(value)) return stored(value.map(String).join(', '));
	return html`<pre tabindex="0" aria-label="${words(name)}"><bdi>${JSON.stringify(
		value,
		null,
		2,
	)}</bdi></pre>`;
}
