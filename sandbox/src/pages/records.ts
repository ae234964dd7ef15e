import { html } from 'hono/html';
import { readText } from '../platform/json.ts';
import type { JsonObject } from '../platform/json.ts';
import type { Service } from '../service.ts';
import { actAs, findDataset, listDatasets, recordsPath, perPage, fetchRecords } from './data.ts';
import type { Dataset } from './data.ts';
import { pager, table } from './elements.ts';
import type { Html } from './elements.ts';
import { Form } from './forms.ts';
import { lists } from './record-lists.ts';
import type { RecordList } from './record-lists.ts';
import type { PageRoutes } from './routes.ts';
import { bodyOf, command, first, readPageNumber } from './request.ts';
import type { Page, PageContent, PageRequest } from './request.ts';

/** What is stored, list by list, for the data of one organization at a time. */
export function recordPages(routes: PageRoutes): void {
	routes.other('/records', ({ context, service }) => {
		const [organization = '', environment = ''] = (context.req.query('in') ?? '').split('/');
		const known = service.organizations.all().find(({ id }) => id === organization);
		const id = known?.id ?? service.organizations.seeded()[0]?.id ?? '';
		return context.redirect(
			`${recordsPath(id, environment === 'test' ? 'test' : 'live')}/dossiers`,
			302,
		);
	});

	for (const list of lists) {
		routes.page(`/records/:organization/:environment/${list.path}`, listPage(list));
	}

	const dossiers = listPage(lists[0]);
	routes.form('/records/:organization/:environment/dossiers', dossiers, (request, fields) => {
		const { context, service } = request;
		const dataset = findDataset(service, context);
		const body = bodyOf(fields, ['title', 'reference', 'description']);
		const given = Object.entries(body).filter(([, value]) => value !== undefined);
		const made = createDossier(service, dataset, request, Object.fromEntries(given));
		return `${dataset.path}/dossiers/${readText(made.id)}?done=created`;
	});

	routes.form('/records/:organization/:environment/seed', dossiers, async (request, fields) => {
		const { organization, environment, path } = findDataset(request.service, request.context);
		const counts = { dossiers: Number(first(fields, 'dossiers') ?? 10) };
		await command(request, 'POST', '/seed', {
			organization_id: organization.id,
			environment,
			...counts,
		});
		return `${path}/dossiers?done=filled`;
	});
}

function createDossier(
	service: Service,
	dataset: Dataset,
	{ context }: PageRequest,
	body: JsonObject,
): JsonObject {
	service.validation.checkRequestBody(
		service.contract.operation('dossiers.create'),
		'application/json',
		body,
	);
	return service.dossiers.create(actAs(service, dataset, context), body);
}

function listPage(list: RecordList): Page {
	return (request) => {
		const { service, context } = request;
		const dataset = findDataset(service, context);
		const page = readPageNumber(request);
		const search = list.searched ? context.req.query('q')?.trim() || undefined : undefined;
		const { records, total } = fetchRecords(
			service,
			{ sql: 'dataset = ?', value: dataset.n },
			{ ...list.query(service), search, page },
		);
		const address = (other: number) =>
			`?${new URLSearchParams({ ...(search !== undefined && { q: search }), page: String(other) }).toString()}`;
		const empty = search === undefined ? list.empty : 'Nothing has these words in it.';
		const body = html`${datasetForm(request, dataset)} ${tabs(dataset, list)}
		${list.searched ? searchForm(search) : ''}
		${table(list.name, list.columns(service, dataset), records, empty)}
		${pager({ page, perPage, total }, address)}
		${list === lists[0] ? additions(request, dataset) : ''}`;
		return recordContent(dataset, list.name, body);
	};
}

/** A page of the records of some data. */
export function recordContent(
	{ organization, environment }: Dataset,
	title: string,
	body: Html,
): PageContent {
	const path = html`<p class="quiet"><bdi>${organization.name}</bdi>, ${environment} data</p>`;
	return { title, section: 'Records', body: html`${path}${body}` };
}

function datasetForm({ service }: PageRequest, { organization, environment }: Dataset): Html {
	const choices = listDatasets(service);
	const groups = [...new Set(choices.map(({ group }) => group))];
	return html`<form method="get" action="/_sandbox/records" class="inline">
		<div class="field">
			<label for="in">Organization and data</label>
			<select id="in" name="in">
				${groups.map(
					(group) =>
						html`<optgroup label="${group}">
							${choices
								.filter((one) => one.group === group)
								.map(
									({ value, label }) =>
										html`<option
											value="${value}"
											${value === `${organization.id}/${environment}` ? 'selected' : ''}
										>
											${label}
										</option>`,
								)}
						</optgroup>`,
				)}
			</select>
		</div>
		<button type="submit" class="plain">Show</button>
	</form>`;
}

function tabs({ path }: Dataset, current: RecordList): Html {
	return html`<nav class="tabs" aria-label="Records">
		<ul>
			${lists.map(
				(list) =>
					html`<li>
						<a href="${path}/${list.path}" ${list === current ? html`aria-current="page"` : ''}
							>${list.name}</a
						>
					</li>`,
			)}
		</ul>
	</nav>`;
}

function searchForm(search: string | undefined): Html {
	return html`<form method="get" class="inline" role="search">
		<div class="field">
			<label for="q">Search</label>
			<input id="q" name="q" type="search" value="${search ?? ''}" autocomplete="off" />
		</div>
		<button type="submit" class="plain">Search</button>
	</form>`;
}

function additions(request: PageRequest, { path }: Dataset): Html {
	const form = new Form(request, `${path}/dossiers`);
	const seed = new Form(request, `${path}/seed`);
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
			<h2 id="seed">Add examples</h2>
			${seed.html(
				form.input({
					name: 'dossiers',
					label: 'How many dossiers',
					type: 'number',
					value: '10',
					min: 1,
					max: 200_000,
					required: true,
					hint: 'Each comes with two documents.',
				}),
				'Add',
				'plain',
			)}
		</section>
	</div>`;
}
