import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { html } from 'hono/html';
import { authorize } from '../../http/authorize.ts';
import { parseObject, readText } from '../../platform/json.ts';
import { facts } from '../elements.ts';
import type { Html } from '../elements.ts';
import { Form } from '../forms.ts';
import type { PageRoutes } from '../routes.ts';
import { first, explainRefusal } from '../request.ts';
import type { FormFields, PageContent, PageRequest } from '../request.ts';
import { referenceBody } from './body.ts';

const home = '/_sandbox/reference';
const cookie = 'reference_login';

/** A customer's login: the token, and the context that it is used in (A-32). */
interface Login {
	token: string;
	tenant: string;
	unit: string;
}

/**
 * The API reference, made from the contract. Without a login it is restricted to what is public; with a customer's login, in
 * a tenant and a business unit and with a plan that has access, it is full.
 */
export function referencePages(routes: PageRoutes): void {
	const bodies = new Map<boolean, Html>();

	const reference = (request: PageRequest): PageContent => {
		const login = loginOf(request);
		const full = login !== undefined;
		const body = bodies.get(full) ?? referenceBody(request.service, full);
		bodies.set(full, body);
		const way = login ? signedIn(request, login) : signIn(request);
		return { title: 'API reference', section: 'API reference', body: html`${way}${body}` };
	};

	routes.page('/reference', reference);

	routes.form('/reference/sign-in', reference, (request, fields) => {
		const login = {
			token: said(fields, 'token'),
			tenant: said(fields, 'tenant'),
			unit: said(fields, 'unit'),
		};
		demand(request, login);
		const value = Buffer.from(JSON.stringify(login)).toString('base64url');
		setCookie(request.context, cookie, value, { httpOnly: true, sameSite: 'Strict', path: home });
		return `${home}?done=signed-in`;
	});

	routes.form('/reference/sign-out', reference, ({ context }) => {
		deleteCookie(context, cookie, { path: home });
		return `${home}?done=signed-out`;
	});
}

function said(fields: FormFields, name: string): string {
	const value = first(fields, name);
	if (value !== undefined) return value;
	throw new RangeError('Give all three: the customer token, the tenant and the business unit.');
}

/** Throws an ServiceError where an operation for customers would refuse the login. */
function demand({ service }: PageRequest, { token, tenant, unit }: Login): void {
	const headers = {
		authorization: `Bearer ${token}`,
		'x-tenant-id': tenant,
		'x-business-unit-id': unit,
		'tenant-id': tenant,
		'business-unit-id': unit,
	};
	authorize({ headers }, { access: 'customer', scopes: [] }, service);
}

/** The login that the browser keeps, where it still holds. */
function loginOf(request: PageRequest): Login | undefined {
	const value = getCookie(request.context, cookie);
	if (value === undefined) return undefined;
	try {
		const kept = parseObject(Buffer.from(value, 'base64url').toString('utf8'));
		const login = {
			token: readText(kept.token) ?? '',
			tenant: readText(kept.tenant) ?? '',
			unit: readText(kept.unit) ?? '',
		};
		demand(request, login);
		return login;
	} catch (error) {
		if (
			explainRefusal(error) !== undefined ||
			error instanceof SyntaxError ||
			error instanceof TypeError
		) {
			return undefined;
		}
		throw error;
	}
}

function signIn(request: PageRequest): Html {
	const form = new Form(request, `${home}/sign-in`);
	return html`<p class="lead">
			This is the public part: what needs no login. The full reference is for customers who are
			signed in.
		</p>
		<details ${request.refused ? 'open' : ''}>
			<summary>Sign in to see all of it</summary>
			${form.html(
				[
					form.input({ name: 'token', label: 'Customer token', type: 'password', required: true }),
					form.input({ name: 'tenant', label: 'Tenant ID', required: true }),
					form.input({ name: 'unit', label: 'Business unit ID', required: true }),
					html`<p class="hint">
						The <a href="/_sandbox/">overview</a> has them, for each organization under “Signing in
						to /api/v1”.
					</p>`,
				],
				'Sign in',
			)}
		</details>`;
}

function signedIn(request: PageRequest, { tenant, unit }: Login): Html {
	const form = new Form(request, `${home}/sign-out`);
	return html`<p class="lead">This is the full reference.</p>
		${facts([
			['Tenant', html`<code>${tenant}</code>`],
			['Business unit', html`<code>${unit}</code>`],
		])}
		${form.html([], 'Sign out', 'plain')}`;
}
