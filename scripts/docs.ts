/** Writes docs/operations and the tables of docs/errors.md, from the nodes and the contract. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type * as DossierApi from '../credentials/DossierApi.credentials';
import type * as DossierWorkspaceApi from '../credentials/DossierWorkspaceApi.credentials';
import type * as Dossier from '../nodes/Dossier/Dossier.node';
import type * as DossierPollTrigger from '../nodes/Dossier/DossierPollTrigger.node';
import type * as DossierTrigger from '../nodes/Dossier/DossierTrigger.node';
import type * as schema from '../nodes/Dossier/dialect/schema';
import type * as explain from '../nodes/Dossier/execution/explain';
import type * as labels from '../nodes/Dossier/execution/labels';
import type * as connection from '../nodes/Dossier/problems/connection';
import type * as input from '../nodes/Dossier/problems/input';
import type * as problem from '../nodes/Dossier/problems/problem';
import type * as refusal from '../nodes/Dossier/problems/refusal';
import { loadModule, root } from './docs/modules.ts';
import { generatedPages } from './docs/generatedPages.ts';

const load = <Module>(path: string) => loadModule(path) as Module;

const nodes = {
	...load<typeof Dossier>('nodes/Dossier/Dossier.node'),
	...load<typeof DossierPollTrigger>('nodes/Dossier/DossierPollTrigger.node'),
	...load<typeof DossierTrigger>('nodes/Dossier/DossierTrigger.node'),
	...load<typeof DossierApi>('credentials/DossierApi.credentials'),
	...load<typeof DossierWorkspaceApi>('credentials/DossierWorkspaceApi.credentials'),
};
const [execution, problems] = ['nodes/Dossier/execution', 'nodes/Dossier/problems'];

const pages = generatedPages(
	root,
	{
		action: new nodes.Dossier().description,
		trigger: new nodes.DossierTrigger().description,
		pollTrigger: new nodes.DossierPollTrigger().description,
		credentials: [new nodes.DossierApi(), new nodes.DossierWorkspaceApi()],
	},
	{
		...load<typeof explain>(`${execution}/explain`),
		...load<typeof labels>(`${execution}/labels`),
		...load<typeof connection>(`${problems}/connection`),
		...load<typeof input>(`${problems}/input`),
		...load<typeof problem>(`${problems}/problem`),
		...load<typeof refusal>(`${problems}/refusal`),
	},
	load<typeof schema>('nodes/Dossier/dialect/schema').dialectSchema,
);
await rm(join(root, 'docs/operations'), { recursive: true, force: true });
await mkdir(join(root, 'docs/operations'), { recursive: true });
for (const [path, text] of pages) await writeFile(join(root, path), text);
