import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { html } from 'hono/html';
import { authorize } from '../../http/authorize.ts';
import { isObject, readList, readMembers, readText } from '../../platform/json.ts';
import type { Json } from '../../platform/json.ts';
import type { SeededOrganization } from '../../accounts/organizations.ts';
import type { Service } from '../../service.ts';
import { badge } from '../elements.ts';
import type { Html } from '../elements.ts';
import { Form } from '../forms.ts';
import { explainRefusal } from '../request.ts';
import type { Page, PageContent, PageRequest } from '../request.ts';
import type { PageRoutes } from '../routes.ts';
import { contents } from './contents.ts';
import { operationBody } from './operation.ts';
import { fieldTable, listFields, prose, provenance, schemaType } from './schema.ts';

const home = '/_sandbox/reference';
const cookie = 'reference_login';
const section = 'API reference';

/**
 * The API reference, made from the contract. Without a login it shows the public part. A customer who is signed in, with a plan that has
 * access, sees all of it.
 */
export function addReferencePages(routes: PageRoutes): void {
	routes.page('/reference', renderContents);
	routes.page('/reference/operations/:id', renderOperation);
	routes.page('/reference/events/:kind', demandLogin(renderEvent));
	routes.page('/reference/schemas/:name', demandLogin(renderSchema));

	routes.form('/reference/sign-in', renderContents, ({ context, service }, fields) => {
		const organization = service.organizations.find(fields.get('organization_id') ?? '');
		checkAccess(service, organization);
		setCookie(context, cookie, organization.id, { httpOnly: true, sameSite: 'Strict', path: home });
		return `${home}?done=signed-in`;
	});

	routes.form('/reference/sign-out', renderContents, ({ context }) => {
		deleteCookie(context, cookie, { path: home });
		return `${home}?done=signed-out`;
	});
}

/** Throws a ServiceError if operations for customers would refuse this organization's customer. */
function checkAccess(
	service: Service,
	{ customerToken, tenantId, businessUnitId }: SeededOrganization,
): void {
	const headers = {
		authorization: `Bearer ${customerToken}`,
		'x-tenant-id': tenantId,
		'x-business-unit-id': businessUnitId,
		'tenant-id': tenantId,
		'business-unit-id': businessUnitId,
	};
	authorize({ headers }, { access: 'customer', scopes: [] }, service);
}

/** The organization whose customer is signed in, if its customer still has access. */
function findLogin({ context, service }: PageRequest): SeededOrganization | undefined {
	try {
		const organization = service.organizations.find(getCookie(context, cookie) ?? '');
		checkAccess(service, organization);
		return organization;
	} catch (error) {
		if (explainRefusal(error) === undefined) throw error;
		return undefined;
	}
}

/** Shows the contents instead of a page to those who are not signed in. */
function demandLogin(page: Page): Page {
	return (request) => (findLogin(request) ? page(request) : renderContents(request));
}

function renderContents(request: PageRequest): PageContent {
	const login = findLogin(request);
	const search = request.context.req.query('q')?.trim() ?? '';
	const body = html`${login ? signedIn(request, login) : signIn(request)}
		<p>
			${badge('given', 'good')} marks what the description of the service states.
			${badge('assumed A-nn')} marks a choice of this project;
			<code>docs/contract.md</code> explains it under that number. Download the contract:
			<a href="/_sandbox/openapi.yaml" download>openapi.yaml</a>,
			<a href="/_sandbox/openapi.json" download>openapi.json</a>, or a collection of requests with
			the keys of this sandbox for Postman and Bruno:
			<a href="/_sandbox/postman.json" download>postman.json</a>.
		</p>
		${contents(request.service, login !== undefined, search)}`;
	return { title: section, section, body };
}

function renderOperation(request: PageRequest): PageContent {
	const { context, service } = request;
	const id = context.req.param('id');
	const operation = service.contract.operations.find((one) => one.id === id);
	if (!operation) throw new RangeError(`There is no operation ${id}.`);
	if (operation.access !== 'public' && !findLogin(request)) return renderContents(request);
	const title = readText(operation.element.summary) ?? operation.id;
	return detail(title, operationBody(service, operation));
}

function renderEvent({ context, service: { contract } }: PageRequest): PageContent {
	const kind = context.req.param('kind') ?? '';
	const schema = contract.eventSchemas.get(kind);
	if (!schema) throw new RangeError(`There is no event ${kind}.`);
	return detail(
		kind,
		html`<p>Sent as a POST to every webhook that asks for it, signed with HMAC-SHA256.</p>
			<p>Body: ${schemaType(contract, schema)}</p>
			${fieldTable(contract, 'Body', listFields(contract, schema))}
			${examples(contract.resolve(schema).examples)}`,
	);
}

function renderSchema({ context, service: { contract } }: PageRequest): PageContent {
	const name = context.req.param('name') ?? '';
	const { components } = contract.document;
	const schemas = new Map(readMembers(isObject(components) ? components.schemas : undefined));
	const schema = schemas.get(name);
	if (!schema) throw new RangeError(`There is no schema ${name}.`);
	const fields = listFields(contract, schema);
	return detail(
		name,
		html`<p>${prose(schema.description)} ${provenance(schema)}</p>
			${fields.length > 0
				? fieldTable(contract, `Fields of ${name}`, fields)
				: html`<p>${schemaType(contract, schema)}</p>`}
			${examples(schema.examples)}`,
	);
}

function detail(title: string, body: Html): PageContent {
	return {
		title,
		section,
		body: html`<p><a href="${home}">All of the reference</a></p>
			${body}`,
	};
}

function examples(given: Json | undefined): Html | string {
	const [example] = readList(given);
	return example === undefined
		? ''
		: html`<h2>Example</h2>
				<pre tabindex="0" aria-label="Example">${JSON.stringify(example, null, 2)}</pre>`;
}

function signIn(request: PageRequest): Html {
	const form = new Form(request, `${home}/sign-in`);
	const choices = request.service.organizations
		.all()
		.map(({ id, name }) => ({ value: id, label: name }));
	return html`<p class="lead">
			This is the public part. As with the real service, customers who are signed in see the full
			reference.
		</p>
		<div class="actions">
			${form.html(
				form.choice({ name: 'organization_id', label: 'Customer of', choices }),
				'Sign in',
			)}
		</div>`;
}

function signedIn(request: PageRequest, { name }: SeededOrganization): Html {
	const form = new Form(request, `${home}/sign-out`);
	return html`<p class="lead">
			This is the full reference. You are signed in as the customer of <bdi>${name}</bdi>.
		</p>
		<div class="actions">${form.html([], 'Sign out', 'plain')}</div>`;
}
