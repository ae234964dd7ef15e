import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { INode, NodeParameterValue } from 'n8n-workflow';
import { createCredential, importWorkflow } from '../host/rest.ts';
import type { Account, CredentialReference, Session } from '../host/rest.ts';
import type { CaseFile } from './caseFiles.ts';
import { readWorkflow, withSettings } from './workflow.ts';

/** Another function imports it, and runs it. */
export const INTAKE = 'document-intake.json';

interface Place {
	/** The checkout. */
	root: string;
	session: Session;
	/** The same e-mail and password open the forms of the examples; the password is also the token of the tools. */
	account: Account;
	/** Of the sandbox. */
	credential: CredentialReference;
	/** A file that was imported: its folder and its dossier are the ones that the examples begin with. */
	first: CaseFile;
	/** A folder that exists, to which n8n may write. */
	writable: string;
}

/** Imports every example but the intake, ready to run: with credentials and folders of this machine. */
export async function importExamples(place: Place): Promise<void> {
	const { root, session, account, credential, first, writable } = place;
	const { email, password } = account;
	const forms = await store(session, 'httpBasicAuth', 'Forms', { user: email, password });
	const tools = await store(session, 'httpBearerAuth', 'Tools', { token: password });
	const settings: Record<string, Record<string, NodeParameterValue>> = {
		'audit-export.json': { folder: join(writable, 'audit-log') },
		'dossier-export.json': { folder: join(writable, 'export'), reference: first.dossier },
		'folder-sync.json': { folder: dirname(first.path), reference: first.dossier },
	};
	for (const name of ['audit-log', 'export']) await mkdir(join(writable, name));
	const folder = join(root, 'examples');
	const names = (await readdir(folder)).filter((name) => name.endsWith('.json') && name !== INTAKE);
	for (const name of names.sort()) {
		const workflow = await readWorkflow(join(folder, name), credential);
		const own = settings[name];
		const nodes = own ? withSettings(workflow.nodes, own) : workflow.nodes;
		await importWorkflow(session, { ...workflow, nodes: withCredentials(nodes, forms, tools) });
	}
}

async function store(session: Session, type: string, name: string, data: Record<string, string>) {
	return { type, reference: { id: await createCredential(session, { name, type, data }), name } };
}

/** The nodes with further credentials, each at the nodes that ask for its type. */
export const withCredentials = (
	nodes: INode[],
	...credentials: Array<{ type: string; reference: CredentialReference }>
): INode[] =>
	nodes.map((node) => {
		const wanted = credentials.filter(({ type }) => node.credentials?.[type]);
		const chosen = wanted.map(({ type, reference }) => [type, reference] as const);
		return chosen.length
			? { ...node, credentials: { ...node.credentials, ...Object.fromEntries(chosen) } }
			: node;
	});
