import { html } from 'hono/html';
import type { ContractOperation } from '../../contract/contract.ts';
import { isObject, readText } from '../../platform/json.ts';
import type { Json, JsonObject } from '../../platform/json.ts';
import type { Service } from '../../service.ts';
import { badge } from '../elements.ts';
import type { Html } from '../elements.ts';
import { json, list, members, prose, sentence, source } from './prose.ts';
import { nameOf } from './schema.ts';
import type { Schemas } from './schema.ts';

const callers = {
	integration: 'API key',
	public: 'public, no login',
	customer: 'customer token',
	operator: 'operator token',
};

/** An operation as the contract's file has it. */
export function elementOf({ contract }: Service, { method, path }: ContractOperation): JsonObject {
	const item = isObject(contract.document.paths) ? contract.document.paths[path] : undefined;
	const element = isObject(item) ? item[method.toLowerCase()] : undefined;
	return isObject(element) ? element : {};
}

/** A part of the page for an operation. What its answers can be in detail is for customers. */
export function operationPart(
	service: Service,
	operation: ContractOperation,
	schemas: Schemas,
	full: boolean,
): Html {
	const { id, method, path, access, scopes, parameters } = operation;
	const element = elementOf(service, operation);
	const emits = list(element['x-emits']).map(String);
	return html`<section class="operation" aria-labelledby="${id}">
		<h3 id="${id}"><span class="method">${method}</span> <code>${path}</code></h3>
		<p class="summary"><strong>${readText(element.summary)}</strong> ${source(element)}</p>
		${prose(element.description)}
		<p class="quiet">
			Called with:
			${callers[access]}${scopes.length > 0 ? html`, scope <code>${scopes.join(' ')}</code>` : ''}.
			${emits.length > 0
				? html`Causes ${emits.map((one, at) => html`${at > 0 ? ', ' : ''}${badge(one)}`)}.`
				: ''}
		</p>
		<details id="${id}-details">
			<summary>
				${full ? 'Parameters, body and answers' : 'Body and example'}<span class="unseen">
					of ${method} ${path}</span
				>
			</summary>
			${parameters.length > 0
				? html`<h4>Parameters</h4>
						${schemas.parameters(parameters)}`
				: ''}
			${[...operation.requestBodies].map(([type, schema]) => bodyPart(type, schema, schemas))}
			<h4>Example</h4>
			<pre tabindex="0" aria-label="Example of ${method} ${path}">
${curl(service.url, operation, schemas)}</pre
			>
			${full ? answersPart(service, element, schemas) : answerExample(operation, schemas)}
		</details>
	</section>`;
}

function bodyPart(type: string, schema: JsonObject, schemas: Schemas): Html {
	const name = nameOf(schema);
	return html`<h4>Body as ${type}</h4>
		${schemas.properties(schema, `FormFields of the body${name === undefined ? '' : `, ${name}`}`)}`;
}

function answersPart({ contract }: Service, { responses }: JsonObject, schemas: Schemas): Html {
	return html`<h4>Answers</h4>
		<dl class="answers">
			${members(responses).map(([status, one]) => {
				const answer = contract.resolve(one);
				const codes = list(answer['x-error-codes']).map(String);
				const headers = members(answer.headers).map(([name]) => name);
				return html`<dt>
						${badge(status, status.startsWith('2') ? 'good' : 'plain')} ${source(answer)}
					</dt>
					<dd>
						${sentence(readText(answer.description) ?? '')}
						${members(answer.content).map(
							([type, { schema }]) =>
								html`<br />${type}: ${schemas.type(schema)}${exampleOf(status, schema, schemas)}`,
						)}
						${codes.length > 0
							? html`<br />Codes:
									${codes.map((code, at) => html`${at > 0 ? ', ' : ''}<code>${code}</code>`)}`
							: ''}
						${headers.length > 0
							? html`<br /><span class="quiet">Headers: ${headers.join(', ')}</span>`
							: ''}
					</dd>`;
			})}
		</dl>`;
}

function exampleOf(status: string, schema: Json | undefined, schemas: Schemas): Html | string {
	const example = status.startsWith('2') ? schemas.example(schema) : undefined;
	return example === undefined ? '' : json(example, `Example of an answer with status ${status}`);
}

function answerExample({ responses: answers }: ContractOperation, schemas: Schemas): Html {
	const content = members(answers.get(200)?.content ?? answers.get(201)?.content);
	const example = schemas.example(content[0]?.[1].schema);
	return example === undefined
		? html``
		: html`<h4>Answer</h4>
				${json(example, 'Example of an answer')}`;
}

/** How a program that is called curl would ask for it. */
function curl(url: string, operation: ContractOperation, schemas: Schemas): string {
	const { method, path, access, parameters, requestBodies } = operation;
	const headers = [
		...(access === 'public'
			? []
			: [`Authorization: Bearer <${access === 'integration' ? 'API key' : 'token'}>`]),
		...parameters
			.filter((one) => one.in === 'header' && one.required === true)
			.map(({ name }) => `${readText(name)}: …`),
	];
	const schema = requestBodies.get('application/json');
	const example = schema === undefined ? undefined : schemas.example(schema);
	const body =
		example === undefined
			? []
			: ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(example))}`];
	const parts = [
		`curl ${method === 'GET' ? '' : `-X ${method} `}${url}${path}`,
		...headers.map((header) => `-H ${quoted(header)}`),
		...body,
	];
	return parts.join(' \\\n  ');
}

function quoted(text: string): string {
	return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
