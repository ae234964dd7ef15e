import { OpenAPIHono } from '@hono/zod-openapi';
import { dump } from 'js-yaml';
import { z } from 'zod';
import type { Service } from '../service.mts';
import { controlApi } from './api.mts';
import { answer, createSection, operation } from './operation.mts';
import { describeSeed } from './seed/schema.mts';

const tags = ['Documents'];
const asJson = answer('The document.', z.record(z.string(), z.unknown()));
const asYaml = {
	description: 'The document.',
	content: { 'application/yaml': { schema: z.string() } },
};
const yamlType = { 'Content-Type': 'application/yaml' };

/** Files for other tools: the contract, the description of the control room, and the JSON Schema of seeds. */
export const documentRoutes = createSection()
	.openapi(
		operation({
			method: 'get',
			path: '/openapi.json',
			operationId: 'documents.contractAsJson',
			summary: 'The contract, as JSON',
			tags,
			responses: { 200: asJson },
		}),
		({ json, var: { service } }) => json({ ...addServers(service) }, 200),
	)
	.openapi(
		operation({
			method: 'get',
			path: '/openapi.yaml',
			operationId: 'documents.contractAsYaml',
			summary: 'The contract, as YAML',
			tags,
			responses: { 200: asYaml },
		}),
		({ body, var: { service } }) => body(toYaml(addServers(service)), 200, yamlType),
	)
	.openapi(
		operation({
			method: 'get',
			path: '/control.json',
			operationId: 'documents.controlAsJson',
			summary: 'This document, as JSON',
			tags,
			responses: { 200: asJson },
		}),
		({ json, var: { service } }) => json({ ...describeControl(service.url) }, 200),
	)
	.openapi(
		operation({
			method: 'get',
			path: '/control.yaml',
			operationId: 'documents.controlAsYaml',
			summary: 'This document, as YAML',
			tags,
			responses: { 200: asYaml },
		}),
		({ body, var: { service } }) => body(toYaml(describeControl(service.url)), 200, yamlType),
	)
	.openapi(
		operation({
			method: 'get',
			path: '/seed.schema.json',
			operationId: 'documents.seedSchema',
			summary: 'The JSON Schema of seed files',
			tags,
			responses: { 200: asJson },
		}),
		({ json }) => json({ ...describeSeed() }, 200),
	);

/** The OpenAPI document of the control room, made from its routes. `url`: the address of the sandbox. */
export function describeControl(url: string): object {
	const control = new OpenAPIHono().route('/_sandbox/api', controlApi);
	return control.route('/_sandbox', documentRoutes).getOpenAPI31Document({
		openapi: '3.1.0',
		info: {
			title: 'Control room of the dossier sandbox',
			version: 'v1',
			description:
				'What tests and scripts do to a sandbox of the service, which has no such addresses itself. Only this machine can use the control room, and no login is needed. A request that is not valid gets 400 with a sentence; one with more than 1 MiB (a seed: 32 MiB) gets 413.',
			license: { name: 'MIT' },
		},
		servers: describeServers(url),
		security: [],
		tags: [
			{ name: 'Organizations', description: 'Who has keys and tokens.' },
			{ name: 'Behavior', description: 'The clock, switches, limits and faults.' },
			{ name: 'Records', description: 'What is stored.' },
			{ name: 'Requests', description: 'What was asked, and what people were sent.' },
			{ name: 'Webhooks', description: 'Webhooks of all organizations, events and deliveries.' },
			{ name: 'Documents', description: 'Files for other tools.' },
		],
	});
}

function addServers(service: Service) {
	return { ...service.contract.document, servers: describeServers(service.url) };
}

function describeServers(url: string) {
	return [{ url, description: 'This sandbox.' }];
}

function toYaml(document: object): string {
	return dump(document, { lineWidth: -1, noRefs: true });
}
