import { html } from 'hono/html';
import type { ContractOperation } from '../../contract/contract.ts';
import { isObject, readList, readMembers, readText } from '../../platform/json.ts';
import { planLimits } from '../../accounts/plans.ts';
import type { Service } from '../../service.ts';
import { formatValue, table } from '../elements.ts';
import type { Html } from '../elements.ts';
import { listFields, prose, provenance } from './schema.ts';

const home = '/_sandbox/reference';

/** An entry of the contents: its words are searched. */
interface Entry {
	address: string;
	label: Html | string;
	note: string;
	words: string;
}

/** The contents of the reference: all of it, or what is public, and only what has `search` in it. */
export function contents(service: Service, isFull: boolean, search: string): Html {
	const { contract } = service;
	const { document, operations } = contract;
	const shown = operations.filter(({ access }) => isFull || access === 'public');
	const words = search.toLowerCase();
	const group = (name: string, entries: Entry[], look = 'plain-list') => {
		const found = entries.filter((one) => one.words.toLowerCase().includes(words));
		return found.length === 0
			? ''
			: html`<h2>${name}</h2>
					<ul class="${look}">
						${found.map(
							({ address, label, note }) =>
								html`<li><a href="${home}/${address}">${label}</a> ${note}</li>`,
						)}
					</ul>`;
	};
	const groups = [
		...readList(document.tags)
			.filter(isObject)
			.map(({ name }) => {
				const own = shown.filter((one) => readList(one.element.tags)[0] === name);
				return group(
					formatValue(name),
					own.map((one) => operationEntry(service, one)),
				);
			}),
		...(isFull
			? [
					group('Sent events', listEvents(service)),
					group('Schemas', listSchemas(service), 'plain-list columns'),
				]
			: []),
	].filter((one) => one !== '');
	return html`<form method="get" class="inline" role="search">
			<div class="field">
				<label for="q">Search operations, fields and codes</label>
				<input id="q" name="q" type="search" value="${search}" autocomplete="off" />
			</div>
			<button type="submit" class="plain">Search</button>
		</form>
		${search !== '' && groups.length === 0 ? html`<p class="empty">Nothing matches.</p>` : groups}
		${isFull
			? html`${errorTable(service, words)} ${search === '' ? limitTable() : ''}`
			: html`<p class="empty">
					The full reference has ${operations.length - shown.length} more operations, the events,
					the schemas, the limits and the error codes.
				</p>`}`;
}

function operationEntry({ contract }: Service, operation: ContractOperation): Entry {
	const { id, method, path, element, parameters, requestBodies, responses } = operation;
	const note = readText(element.summary) ?? '';
	const fields = [...requestBodies.values()].flatMap((one) => listFields(contract, one));
	const codes = [...responses.values()].flatMap((one) => readList(one['x-error-codes']));
	return {
		address: `operations/${id}`,
		label: html`<span class="method">${method}</span> <code>${path}</code>`,
		note,
		words: [
			...[id, method, path, note, readText(element.description)],
			...[...parameters, ...fields].map(({ name }) => formatValue(name)),
			...codes.map(formatValue),
		].join(' '),
	};
}

function listEvents({ contract }: Service): Entry[] {
	return readMembers(contract.document.webhooks).map(([kind, { post }]) => {
		const note = readText(isObject(post) ? post.summary : undefined) ?? '';
		const names = listFields(contract, contract.eventSchemas.get(kind)).map(({ name }) => name);
		const words = [kind, note, ...names].join(' ');
		return { address: `events/${kind}`, label: html`<code>${kind}</code>`, note, words };
	});
}

function listSchemas({ contract }: Service): Entry[] {
	const { components } = contract.document;
	return readMembers(isObject(components) ? components.schemas : undefined).map(
		([name, schema]) => {
			const names = listFields(contract, schema).map((field) => field.name);
			return {
				address: `schemas/${name}`,
				label: name,
				note: '',
				words: [name, readText(schema.description), ...names].join(' '),
			};
		},
	);
}

function limitTable(): Html {
	return html`<h2 id="limits">Limits</h2>
		<p>
			Beyond these, the answer is 429. <code>X-RateLimit-Remaining</code> says how many requests are
			left.
		</p>
		${table(
			'Requests of each plan',
			[
				{ head: 'Plan', cell: ([plan]) => plan.charAt(0).toUpperCase() + plan.slice(1) },
				{ head: 'A minute', kind: 'number', cell: ([, { perMinute }]) => String(perMinute) },
				{ head: 'An hour', kind: 'number', cell: ([, { perHour }]) => String(perHour) },
			],
			Object.entries(planLimits).filter(([plan]) => plan !== 'starter'),
			'',
		)}`;
}

function errorTable({ contract }: Service, words: string): Html | string {
	const codes = readList(contract.resolve({ $ref: '#/components/schemas/ErrorCode' }).oneOf)
		.filter(isObject)
		.filter((one) =>
			`${readText(one.const)} ${readText(one.description)}`.toLowerCase().includes(words),
		);
	if (codes.length === 0) return '';
	return html`<h2 id="errors">Errors</h2>
		<p>Every refusal is <code>{"error": {"code", "message", "status"}}</code>.</p>
		${table(
			'Error codes',
			[
				{ head: 'Code', cell: (one) => html`<code>${readText(one.const)}</code>` },
				{ head: 'Status', cell: (one) => readList(one['x-statuses']).map(formatValue).join(', ') },
				{ head: 'Meaning', cell: ({ description }) => prose(description) },
				{ head: 'Source', cell: provenance },
			],
			codes,
			'',
		)}`;
}
