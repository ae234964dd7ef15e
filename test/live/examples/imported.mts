import { join } from 'node:path';
import type {
	ICredentialDataDecryptedObject,
	INode,
	IWorkflowSettings,
	NodeParameterValue,
} from 'n8n-workflow';
import { activateWorkflow, createCredential, importWorkflow } from '../../../scripts/host/rest.mts';
import type { Session, StoredWorkflow } from '../../../scripts/host/rest.mts';
import { withCredentials, readWorkflow, withSettings } from '../../../scripts/intake/examples.mts';
import { root } from '../live.mts';
import type { Live } from '../live.mts';
import { until } from '../../../scripts/process/until.mts';
import { observeTriggers } from '../triggers.mts';
import type { Webhook } from '../triggers.mts';

/** What a person fills in after the import. */
interface Choices {
	/** Other values in the node "Settings". */
	settings?: Record<string, NodeParameterValue>;
	/** What the forms of further credentials say, by their type. */
	credentials?: Record<string, ICredentialDataDecryptedObject>;
	/** What the settings of the workflow say, e.g. its timezone. */
	workflowSettings?: IWorkflowSettings;
	/** What else a person changes in a node. */
	change?: (node: INode) => INode;
}

/** Imports an example, with a credential in each of its Dossier nodes. */
export async function importExample(
	live: Pick<Live, 'session' | 'credential'>,
	file: string,
	{ settings, credentials = {}, workflowSettings, change = (node) => node }: Choices = {},
): Promise<StoredWorkflow> {
	const workflow = await readWorkflow(join(root, 'examples', file), await live.credential());
	let nodes = settings ? withSettings(workflow.nodes, settings) : workflow.nodes;
	for (const [type, data] of Object.entries(credentials)) {
		const name = `${type} of ${file}`;
		const id = await createCredential(live.session, { name, type, data });
		nodes = withCredentials(nodes, { type, reference: { id, name } });
	}
	return await importWorkflow(live.session, {
		...workflow,
		nodes: nodes.map(change),
		settings: { ...workflow.settings, ...workflowSettings },
	});
}

/** Publishes a workflow that begins with a form behind a password. Gives the address of the form once it is there. */
export async function publishForm(
	session: Session,
	origin: string,
	workflow: StoredWorkflow,
	auth: { username: string; password: string },
): Promise<string> {
	const trigger = workflow.nodes.find(({ type }) => type === 'n8n-nodes-base.formTrigger');
	const form = `${origin}/form/${trigger?.webhookId}`;
	await activateWorkflow(session, workflow);
	await until('form', async () => (await session.get(form, { auth })).status === 200);
	return form;
}

/**
 * Announces a document that is gone to a workflow that listens: its run ends well. If the call `denied` is
 * refused, the run of the same event fails for want of a permission.
 */
export async function announceGone(
	live: Live,
	workflow: StoredWorkflow,
	{ webhook, dossier, denied }: { webhook: Webhook; dossier: string; denied: string },
): Promise<void> {
	const announce = async (runs: number) => {
		await live.control.webhooks.test(webhook.id, {
			event: 'document.uploaded',
			data: {
				document_id: 'doc_gone',
				dossier_id: dossier,
				uploaded_by: 'usr_1',
				category: 'other',
			},
		});
		const [last] = await observeTriggers(live).awaitRuns(workflow, runs);
		return last?.data.resultData.error?.message;
	};
	expect(await announce(1)).toBeUndefined();
	const fault = { operation: denied, status: 403, code: 'INSUFFICIENT_SCOPE', times: 1 };
	await live.control.faults.add(fault);
	expect(await announce(2)).toContain('permission');
}

/** Has a workflow that begins with the Dossier Trigger listen for as long as the work takes. */
export async function whileActive(
	live: Parameters<typeof observeTriggers>[0],
	workflow: StoredWorkflow,
	work: (webhook: Webhook) => Promise<void>,
): Promise<void> {
	const triggers = observeTriggers(live);
	const webhook = await triggers.activate(workflow);
	try {
		await work(webhook);
	} finally {
		await triggers.deactivate(workflow);
	}
	await triggers.awaitNoRegistration();
}
