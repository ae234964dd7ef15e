import { html } from 'hono/html';
import { readText } from '../platform/json.mts';
import type { Service } from '../service.mts';
import {
	createPageContext,
	fetchRecords,
	findDataset,
	listDatasets,
	perPage,
} from './datasets.mts';
import type { Dataset } from './datasets.mts';
import { answerWaitMs } from './deliveries.mts';
import { formatCount, pager, table, tabs } from './elements.mts';
import type { Html } from './elements.mts';
import { Form } from './forms.mts';
import { lists } from './record-lists.mts';
import type { RecordList } from './record-lists.mts';
import { callControl, readPageNumber } from './request.mts';
import type { Page, PageContent, PageRequest } from './request.mts';
import type { PageRoutes } from './routes.mts';

const [dossierList] = lists;
const base = '/records/:organization/:environment';

/** Dossiers, portal users, tasks and the audit log, for one dataset at a time. */
export function addRecordPages(routes: PageRoutes): void {
	routes.get('/records', ({ context, service }) => {
		const wanted = context.req.query('in');
		const datasets = listDatasets(service);
		const found =
			datasets.find(({ path }) => path.endsWith(`/${wanted}`)) ??
			datasets.find((one) => countRecords(service, one) > 0) ??
			datasets[0];
		const done = context.req.query('done');
		const notice = done === undefined ? '' : `?done=${encodeURIComponent(done)}`;
		return context.redirect(`${found?.path}/dossiers${notice}`, 302);
	});

	for (const list of lists) routes.page(`${base}/${list.path}`, createListPage(list));

	routes.form(
		`${base}/dossiers`,
		createListPage(dossierList),
		async ({ context, service }, fields) => {
			const dataset = findDataset(service, context);
			const body = Object.fromEntries(fields);
			const operation = service.contract.operation('dossiers.create');
			service.validation.checkRequestBody(operation, 'application/json', body);
			const { id } = service.dossiers.create(createPageContext(service, dataset, context), body);
			await service.dispatch.idle(answerWaitMs);
			return `${dataset.path}/dossiers/${readText(id)}?done=created`;
		},
	);

	routes.form(`${base}/examples`, createListPage(dossierList), async (request, fields) => {
		const { organization, environment, path } = findDataset(request.service, request.context);
		fields.set('organization_id', organization.id);
		fields.set('environment', environment);
		await callControl(request, 'post /examples', fields);
		return `${path}/dossiers?done=filled`;
	});
}

function countList(service: Service, { n }: Dataset, list: RecordList): number {
	const within = { sql: 'dataset = ?', value: n };
	return fetchRecords(service, within, list.query(service), { page: 1, size: 1 }).total;
}

/** How many dossiers, portal users and tasks a dataset has. */
function countRecords(service: Service, dataset: Dataset): number {
	return lists
		.filter(({ hasSearch }) => hasSearch)
		.reduce((sum, list) => sum + countList(service, dataset, list), 0);
}

function createListPage(list: RecordList): Page {
	return (request) => {
		const { service, context } = request;
		const dataset = findDataset(service, context);
		const page = readPageNumber(request);
		const search = list.hasSearch ? context.req.query('q')?.trim() || undefined : undefined;
		const { records, total } = fetchRecords(
			service,
			{ sql: 'dataset = ?', value: dataset.n },
			list.query(service),
			{ search, page },
		);
		const buildAddress = (other: number) =>
			`?${new URLSearchParams({ ...(search !== undefined && { q: search }), page: String(other) }).toString()}`;
		const views = lists.map((one) => ({
			name: `${one.name} (${countList(service, dataset, one).toLocaleString('en')})`,
			address: `${dataset.path}/${one.path}`,
			isCurrent: one === list,
		}));
		const empty = search === undefined ? list.empty : 'Nothing matches.';
		const body = html`${datasetForm(request, dataset)} ${tabs('Records', views)}
		${list.hasSearch ? searchForm(request, search) : ''}
		${table(list.name, list.columns(service, dataset), records, empty)}
		${pager({ page, perPage, total }, buildAddress)}
		${list === dossierList ? additions(request, dataset) : ''}`;
		return recordContent(dataset, list.name, body);
	};
}

/** The content of a page about records of a dataset. */
export function recordContent(
	{ organization, environment }: Dataset,
	title: string,
	body: Html,
): PageContent {
	const owner = html`<p class="quiet"><bdi>${organization.name}</bdi>, ${environment} data</p>`;
	return { title, section: 'Records', body: html`${owner}${body}` };
}

function datasetForm(request: PageRequest, current: Dataset): Html {
	const { service } = request;
	const form = new Form(request, '/_sandbox/records');
	const readValue = ({ organization, environment }: Dataset) => `${organization.id}/${environment}`;
	const choices = listDatasets(service).map((one) => {
		const count = formatCount(countRecords(service, one), 'record');
		const label = `${one.organization.name}, ${one.environment} data: ${count}`;
		return { value: readValue(one), label };
	});
	const value = readValue(current);
	return form.filter(
		form.choice({ name: 'in', label: 'Organization and data', choices, value }),
		'Show',
	);
}

function searchForm(request: PageRequest, value: string | undefined): Html {
	const form = new Form(request, request.context.req.path);
	const field = form.input({ name: 'q', label: 'Search', type: 'search', value });
	return html`<search>${form.filter(field, 'Search')}</search>`;
}

/** The forms that create one dossier, or many examples. */
function additions(request: PageRequest, { path }: Dataset): Html {
	const form = new Form(request, `${path}/dossiers`);
	const seed = new Form(request, `${path}/examples`);
	return html`<div class="cards">
		<section class="card" aria-labelledby="create">
			<h2 id="create">Create a dossier</h2>
			${form.html(
				[
					form.input({ name: 'title', label: 'Title', maxlength: 200, required: true }),
					form.input({ name: 'reference', label: 'Reference (optional)', maxlength: 100 }),
					form.input({ name: 'description', label: 'Description (optional)', maxlength: 10_000 }),
				],
				'Create',
			)}
		</section>
		<section class="card" aria-labelledby="seed">
			<h2 id="seed">Fill with examples</h2>
			${seed.html(
				form.input({
					name: 'dossiers',
					label: 'How many dossiers',
					type: 'number',
					value: '10',
					min: 1,
					max: 200_000,
					required: true,
					hint: 'Each has two documents.',
				}),
				'Fill with examples',
				'plain',
			)}
		</section>
	</div>`;
}
