import { Readable } from 'node:stream';
import { html } from 'hono/html';
import { auditTarget } from '../accounts/audit.mts';
import { openFile } from '../operations/open-file.mts';
import { readText } from '../platform/json.mts';
import type { JsonObject } from '../platform/json.mts';
import type { Service } from '../service.mts';
import { createPageContext, findDataset } from './datasets.mts';
import { formatBytes } from './elements.mts';
import type { Html } from './elements.mts';
import { fieldFacts, readType } from './fields.mts';
import { recordContent } from './records.mts';
import type { PageContent, PageContext, PageRequest } from './request.mts';
import type { PageRoutes } from './routes.mts';

export const documentPath = '/records/:organization/:environment/documents/:id';

/** Types that a browser shows without running anything in them. */
const shown = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf']);
/** How much of a text is shown, in bytes. */
const textShown = 64 * 1024;

/** One document: what it looks like, its fields, and its file. */
export function addDocumentPages(routes: PageRoutes): void {
	routes.page(documentPath, renderDocument);

	routes.get(`${documentPath}/download`, async ({ context, service }) => {
		const document = findDocument(service, context);
		const { file, headers } = await openFile(service.files, document);
		const origin = createPageContext(service, findDataset(service, context), context);
		service.audit.record(origin, 'document.downloaded', auditTarget('document', document, 'title'));
		return sendFile(context, file, headers);
	});

	routes.get(`${documentPath}/content`, async ({ context, service }) => {
		const document = findDocument(service, context);
		if (!shown.has(readType(document))) throw new RangeError('This file has no preview.');
		const { file, headers } = await openFile(service.files, document);
		return sendFile(context, file, { ...headers, 'Content-Disposition': 'inline' });
	});
}

type OpenFile = Awaited<ReturnType<typeof openFile>>;

function sendFile(
	context: PageContext,
	file: OpenFile['file'],
	headers: OpenFile['headers'] & Record<string, unknown>,
): Response {
	const texts = Object.entries(headers).map(([name, value]): [string, string] => [
		name,
		String(value),
	]);
	const content = Readable.toWeb(file.createReadStream());
	return context.body(content, 200, Object.fromEntries(texts));
}

function findDocument(service: Service, context: PageContext): JsonObject {
	const { n } = findDataset(service, context);
	return service.documents.find(n, context.req.param('id') ?? '').fields;
}

async function renderDocument(request: PageRequest): Promise<PageContent> {
	const { service, context } = request;
	const dataset = findDataset(service, context);
	const document = findDocument(service, context);
	const dossierId = readText(document.dossier_id) ?? '';
	const dossier = service.dossiers.find(dataset.n, dossierId).fields;
	const address = `${dataset.path}/documents/${encodeURIComponent(readText(document.id) ?? '')}`;
	const body = html`<p>
			<a href="${dataset.path}/dossiers/${encodeURIComponent(dossierId)}"
				><bdi>${readText(dossier.title)}</bdi></a
			>
		</p>
		<p class="links">
			<a href="${address}/download" download>Download</a>
			<span class="quiet">${formatBytes(Number(document.size_bytes))}</span>
		</p>
		<h2>Preview</h2>
		${await preview(request, document, address)}
		<section class="card" aria-labelledby="fields">
			<h2 id="fields">Fields</h2>
			${fieldFacts(request, document, ['title', 'size_bytes', 'dossier_id'])}
		</section>`;
	return recordContent(dataset, readText(document.title) ?? '', body);
}

async function preview(
	{ service }: PageRequest,
	document: JsonObject,
	address: string,
): Promise<Html> {
	const type = readType(document);
	const name = readText(document.file_name) ?? '';
	if (type === 'application/pdf') {
		return html`<iframe class="preview" src="${address}/content" title="${name}"></iframe>`;
	}
	if (shown.has(type)) {
		return html`<img class="preview" src="${address}/content" alt="${name}" />`;
	}
	if (type.startsWith('text/') || type === 'application/json' || type === 'application/xml') {
		const { file } = await openFile(service.files, document);
		const stream = file.createReadStream({ end: textShown - 1 });
		const text = Buffer.concat(await stream.toArray()).toString('utf8');
		const rest =
			Number(document.size_bytes) > textShown
				? html`<p class="hint">This is the beginning of the file.</p>`
				: '';
		return html`<pre tabindex="0" aria-label="Text of the file"><bdi>${text}</bdi></pre>
			${rest}`;
	}
	return html`<p class="empty">Files of this kind have no preview. Download it to look at it.</p>`;
}
