import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { DossierApi } from '../../credentials/DossierApi.credentials';
import { DossierWorkspaceApi } from '../../credentials/DossierWorkspaceApi.credentials';
import { Dossier } from '../../nodes/Dossier/Dossier.node';
import { DossierPollTrigger } from '../../nodes/Dossier/DossierPollTrigger.node';
import { DossierTrigger } from '../../nodes/Dossier/DossierTrigger.node';
import { dialectSchema } from '../../nodes/Dossier/dialect/schema';
import { describeDialect } from './dialectDescriptions.mts';
import { errorsPage } from './errors.mts';
import type { ServiceCode } from './errors.mts';
import { operationPages } from './pages.mts';
import type { Preview } from './pages.mts';

interface Contract {
	components: { schemas: { ErrorCode: { oneOf: ServiceCode[] } } };
}

export const described = {
	action: new Dossier().description,
	trigger: new DossierTrigger().description,
	pollTrigger: new DossierPollTrigger().description,
	credentials: [new DossierApi(), new DossierWorkspaceApi()],
};

/** Generates every page, or part of a page, that is made from the nodes: its path below `root`, and its content. */
export function generatedPages(root: string): Map<string, string> {
	const read = (path: string) => readFileSync(join(root, path), 'utf8');
	const preview = (name?: string) => {
		const path = name ? `v1.0.0/${name}` : 'v1.1.0';
		return JSON.parse(read(`nodes/Dossier/__schema__/${path}.json`)) as Preview;
	};
	const { action, trigger, pollTrigger } = described;
	const { components } = parse(read('contract/openapi.yaml')) as Contract;
	const errors = errorsPage(
		read('docs/errors.md'),
		[...action.properties, ...trigger.properties, ...pollTrigger.properties],
		components.schemas.ErrorCode.oneOf,
	);
	const operations = operationPages({ ...described, preview });
	return new Map([
		['docs/errors.md', errors],
		['docs/dialect.schema.json', `${JSON.stringify(describeDialect(dialectSchema), null, '\t')}\n`],
		...[...operations].map(([name, text]) => [`docs/operations/${name}`, text] as const),
	]);
}
