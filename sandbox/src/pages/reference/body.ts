import { html } from 'hono/html';
import type { ContractOperation } from '../../contract/contract.ts';
import { isObject, readText } from '../../platform/json.ts';
import type { JsonObject } from '../../platform/json.ts';
import { planLimits } from '../../accounts/plans.ts';
import type { Service } from '../../service.ts';
import { badge, facts, table, formatValue } from '../elements.ts';
import type { Html } from '../elements.ts';
import { elementOf, operationPart } from './operation.ts';
import { list, members, prose, sentence, source } from './prose.ts';
import { Schemas } from './schema.ts';

/** Operations under one heading. */
interface Group {
	name: string;
	description: string;
	operations: ContractOperation[];
}

/** The reference itself: all of the contract, or what is public of it. */
export function referenceBody(service: Service, full: boolean): Html {
	const { contract, url } = service;
	const { info, components } = contract.document;
	const schemas = new Schemas(contract, full);
	const groups = groupsOf(service, full);
	const hidden = contract.operations.length - groups.flatMap(({ operations }) => operations).length;
	const parts = isObject(components) ? components : {};
	return html`${contents(service, groups, full)}
		<h2 id="about">About</h2>
		${prose(isObject(info) ? info.summary : undefined)}
		<p>
			${badge('given', 'good')} stands where the description of the service says so. Where it says
			nothing, one conventional choice was made: ${badge('assumed A-nn')} is its number in
			<code>docs/contract.md</code>. FormFields that are not listed are ignored in a request, and
			may appear in an answer.
		</p>
		${facts([['Base URL here', html`<code>${url}/v1</code>`]])}
		<h3 id="signing-in">Who may call</h3>
		${full
			? schemes(parts)
			: prose(
					'The public operations need no login. All others need an API key, or the token of a customer or an operator.',
				)}
		${groups.map(
			({ name, description, operations }) =>
				html`<h2 id="${anchor(name)}">${name}</h2>
					<p>${description}</p>
					${operations.map((one) => operationPart(service, one, schemas, full))}`,
		)}
		${full ? events(service, schemas) : ''} ${full ? limits() : ''} ${full ? errors(parts) : ''}
		${full
			? html`<h2 id="schemas">Schemas</h2>
					${members(parts.schemas).map(([name, schema]) => schemas.part(name, schema))}`
			: html`<p class="empty">
					${hidden} more operations, events, limits and error codes are in the full reference.
				</p>`}`;
}

function groupsOf(service: Service, full: boolean): Group[] {
	const { contract } = service;
	const shown = contract.operations.filter(({ access }) => full || access === 'public');
	const groups = list(contract.document.tags)
		.filter(isObject)
		.map((tag) => ({
			name: readText(tag.name) ?? '',
			description: readText(tag.description) ?? '',
			operations: shown.filter((one) => list(elementOf(service, one).tags)[0] === tag.name),
		}));
	return groups.filter(({ operations }) => operations.length > 0);
}

function contents(service: Service, groups: Group[], full: boolean): Html {
	const rest = full
		? [
				['Events', 'events'],
				['Limits', 'limits'],
				['Errors', 'errors'],
				['Schemas', 'schemas'],
			]
		: [];
	return html`<nav class="contents ${full ? 'long' : ''}" aria-label="Contents of the reference">
		<ul>
			<li><a href="#about">About</a></li>
			${groups.map(
				({ name, operations }) =>
					html`<li>
						<a href="#${anchor(name)}">${name}</a>
						<ul>
							${operations.map(
								(one) =>
									html`<li>
										<a href="#${one.id}">${readText(elementOf(service, one).summary)}</a>
									</li>`,
							)}
						</ul>
					</li>`,
			)}
			${rest.map(([name, to]) => html`<li><a href="#${to}">${name}</a></li>`)}
		</ul>
	</nav>`;
}

function schemes({ securitySchemes }: JsonObject): Html {
	const names = new Map([
		['apiKey', 'API key'],
		['customerToken', 'Customer token'],
		['operatorToken', 'Operator token'],
		['portalSession', 'Portal session'],
	]);
	return facts(
		members(securitySchemes).map(([name, one]) => [
			names.get(name) ?? name,
			html`${prose(one.description)}${source(one)}`,
		]),
	);
}

function events({ contract }: Service, schemas: Schemas): Html {
	return html`<h2 id="events">Events</h2>
		<p>Sent as a POST to every registered address, signed with HMAC-SHA256.</p>
		${members(contract.document.webhooks).map(([kind, { post }]) => {
			const element = isObject(post) ? post : {};
			const schema = contract.eventSchemas.get(kind) ?? {};
			const example = schemas.example(schema);
			return html`<section class="operation" aria-labelledby="event-${kind}">
				<h3 id="event-${kind}"><code>${kind}</code> ${source(element)}</h3>
				${prose(element.description)}
				<p>Body: ${schemas.type(schema)}</p>
				${example === undefined
					? ''
					: html`<pre tabindex="0" aria-label="Example of ${kind}">
${JSON.stringify(example, null, 2)}</pre
						>`}
			</section>`;
		})}`;
}

function limits(): Html {
	const plans = Object.entries(planLimits).filter(([plan]) => plan !== 'starter');
	return html`<h2 id="limits">Limits</h2>
		<p>
			Beyond these, the answer is 429. <code>X-RateLimit-Remaining</code> says how many requests are
			left.
		</p>
		${table(
			'Requests of each plan',
			[
				{ head: 'Plan', cell: ([plan]) => html`${plan.charAt(0).toUpperCase()}${plan.slice(1)}` },
				{ head: 'A minute', kind: 'number', cell: ([, { perMinute }]) => String(perMinute) },
				{ head: 'An hour', kind: 'number', cell: ([, { perHour }]) => String(perHour) },
			],
			plans,
			'None.',
		)}`;
}

function errors({ schemas }: JsonObject): Html {
	const codes =
		isObject(schemas) && isObject(schemas.ErrorCode)
			? list(schemas.ErrorCode.oneOf).filter(isObject)
			: [];
	return html`<h2 id="errors">Errors</h2>
		<p>Every refusal is <code>{"error": {"code", "message", "status"}}</code>.</p>
		${table<JsonObject>(
			'Error codes',
			[
				{ head: 'Code', cell: (one) => html`<code>${readText(one.const)}</code>` },
				{ head: 'Status', cell: (one) => list(one['x-statuses']).map(formatValue).join(', ') },
				{ head: 'Meaning', cell: (one) => sentence(readText(one.description) ?? '') },
				{ head: 'Source', cell: source },
			],
			codes,
			'None.',
		)}`;
}

function anchor(name: string): string {
	return `part-${name.toLowerCase().replaceAll(/\W+/g, '-')}`;
}
