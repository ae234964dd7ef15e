import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { describeDialect } from './dialectDescriptions.ts';
import { errorsPage } from './errors.ts';
import type { Catalogue, ServiceCode } from './errors.ts';
import { operationPages } from './pages.ts';
import type { Described, Preview } from './pages.ts';

interface Contract {
	components: { schemas: { ErrorCode: { oneOf: ServiceCode[] } } };
}

/** Generates every page, or part of a page, that is made from the nodes: its path below `root`, and its content. */
export function generatedPages(
	root: string,
	described: Omit<Described, 'preview'>,
	catalogue: Catalogue,
	dialectSchema: object,
): Map<string, string> {
	const read = (path: string) => readFileSync(join(root, path), 'utf8');
	const preview = (name?: string) => {
		const path = name ? `v1.0.0/${name}` : 'v1.1.0';
		return JSON.parse(read(`nodes/Dossier/__schema__/${path}.json`)) as Preview;
	};
	const { components } = parse(read('contract/openapi.yaml')) as Contract;
	const errors = errorsPage(
		read('docs/errors.md'),
		catalogue,
		[
			...described.action.properties,
			...described.trigger.properties,
			...described.pollTrigger.properties,
		],
		components.schemas.ErrorCode.oneOf,
	);
	const operations = operationPages({ ...described, preview });
	return new Map([
		['docs/errors.md', errors],
		['docs/dialect.schema.json', `${JSON.stringify(describeDialect(dialectSchema), null, '\t')}\n`],
		...[...operations].map(([name, text]) => [`docs/operations/${name}`, text] as const),
	]);
}
