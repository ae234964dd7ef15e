import { html } from 'hono/html';
import type { Contract, ContractOperation } from '../../contract/contract.ts';
import { findExample } from '../../contract/examples.ts';
import { isObject, readList, readMembers, readText } from '../../platform/json.ts';
import type { JsonObject } from '../../platform/json.ts';
import type { Service } from '../../service.ts';
import { formatCurl } from '../curl.ts';
import { badge, codeBlock } from '../elements.ts';
import type { Html } from '../elements.ts';
import { fieldTable, listFields, prose, provenance, schemaType } from './schema.ts';

const callers = {
	integration: 'an API key',
	public: 'everybody, without a login',
	customer: 'the token of a customer',
	operator: 'the token of an operator',
};

/** Everything about one operation. */
export function operationBody(service: Service, operation: ContractOperation): Html {
	const { contract } = service;
	const { method, path, access, element, scopes, parameters } = operation;
	const emits = readList(element['x-emits']).map(String);
	const fields = parameters.map((one) => ({
		name: readText(one.name) ?? '',
		place: readText(one.in) ?? '',
		isRequired: one.required === true,
		element: one,
		schema: isObject(one.schema) ? one.schema : {},
	}));
	return html`<p class="endpoint">
			<span class="method">${method}</span> <code>${path}</code> ${provenance(element)}
		</p>
		<p>${prose(element.description)}</p>
		<p class="quiet">
			Open to ${callers[access]}${scopes.length > 0 ? ` with the scope ${scopes.join(' ')}` : ''}.
			${emits.length > 0 ? `Emits ${emits.join(' and ')}.` : ''}
		</p>
		<h2>Try it</h2>
		${codeBlock(exampleCommand(service, operation), `the example of ${method} ${path}`)}
		${fields.length > 0
			? html`<h2>Parameters</h2>
					${fieldTable(contract, 'Parameters', fields)}`
			: ''}
		${[...operation.requestBodies].map(
			([type, schema]) =>
				html`<h2>Body as ${type}</h2>
					${fieldTable(contract, `Body as ${type}`, listFields(contract, schema))}`,
		)}
		<h2>Answers</h2>
		${[...operation.responses].map(([status, answer]) => answerPart(contract, status, answer))}`;
}

function answerPart(contract: Contract, status: number, answer: JsonObject): Html {
	const codes = readList(answer['x-error-codes']).map(String);
	const headers = readMembers(answer.headers).map(([name]) => name);
	return html`<section class="answer">
		<h3>${badge(String(status), status < 300 ? 'good' : 'plain')} ${prose(answer.description)}</h3>
		<p class="quiet">
			${readMembers(answer.content).map(
				([type, { schema }]) => html`${type}: ${schemaType(contract, schema)} `,
			)}
			${codes.length > 0 ? html`<br />Codes: ${codes.join(', ')}` : ''}
			${headers.length > 0 ? html`<br />Headers: ${headers.join(', ')}` : ''}
		</p>
		${status < 300
			? readMembers(answer.content).map(([, content]) => example(contract, content))
			: ''}
	</section>`;
}

function example(contract: Contract, content: JsonObject): Html | string {
	const value = findExample(contract, content);
	return value === undefined
		? ''
		: html`<pre tabindex="0" aria-label="Example of the answer">
${JSON.stringify(value, null, 2)}</pre
			>`;
}

/** A curl command for an operation, with the keys of this sandbox. */
function exampleCommand(service: Service, operation: ContractOperation): string {
	const { method, path, access, requestBodies } = operation;
	const [organization] = service.organizations.seeded();
	const headers: [string, string][] =
		!organization || access === 'public'
			? []
			: access === 'integration'
				? [
						['Authorization', `Bearer ${organization.liveKey}`],
						['X-Organization-ID', organization.id],
					]
				: access === 'operator'
					? [['Authorization', `Bearer ${service.tokens.operatorToken()}`]]
					: [
							['Authorization', `Bearer ${organization.customerToken}`],
							['X-Tenant-ID', organization.tenantId],
							['X-Business-Unit-ID', organization.businessUnitId],
						];
	const schema = requestBodies.get('application/json');
	const body = schema && findExample(service.contract, { schema });
	return formatCurl(
		method,
		`${service.url}${path}`,
		[
			...headers,
			...(body === undefined ? [] : [['Content-Type', 'application/json'] as const]),
		].map(([name, value]): [string, string] => [name, value]),
		body === undefined ? undefined : JSON.stringify(body),
	);
}
