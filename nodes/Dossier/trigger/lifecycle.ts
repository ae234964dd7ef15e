import { NodeOperationError } from 'n8n-workflow';
import type { IHookFunctions, ITriggerFunctions } from 'n8n-workflow';
import { INTERACTIVE_POLICY, keyConnection } from '../api/connection';
import { createApi } from '../api/client';
import { Problem } from '../problems/problem';
import { toNodeError } from '../execution/explain';
import { collectForms } from '../execution/labels';
import { isPublishing, requireDossiers } from './dossiers';
import { checkFilter, listEvents } from './event';
import { explainError, isManual, openForm, readCollection, readFilter, triggerForm } from './form';
import { readOwner, warn } from './owner';
import type { Kind } from './owner';
import { forgetSecrets, openCredential } from './keyring';
import { ensureRegistration, removeRegistration } from './register';
import { nameService, readEntered } from './secrets';
import { hasRegistration, lacksSecret, readLeft } from './stored';
import type { Target } from './stored';
import { isUnanswered } from './webhookCalls';

type Context = IHookFunctions | ITriggerFunctions;

const NO_SECRET =
	'refuses every delivery: the service chose the signing secret and did not show it. Enter it in the credential (Webhook Signing Secret)';

/** The line of n8n's log about a registration that the node may have left at a service. */
export const describeLeftover = (service: string) =>
	`may have left its registration at ${service}: if it is there, remove it in the settings of the service`;

const readAddress = (context: IHookFunctions) => context.getNodeWebhookUrl('default') ?? '';

/**
 * The error of a registration. Its message says everything: n8n 1 shows only the description of a NodeApiError and only the
 * message of others (`workflow.service.js`).
 */
export function toRegistrationError(context: Context, error: unknown): NodeOperationError {
	warn(context, `could not register its webhook: ${explainError(error).message}`);
	const node = context.getNode();
	const { message, description } = toNodeError(node, error, collectForms(triggerForm));
	const sentences = [message.replace(/\.$/, ''), description].filter(Boolean);
	return new NodeOperationError(node, sentences.join('. '));
}

/** The names of the events that the form asks for. Throws Problem. */
export function readEvents(context: Context): string[] {
	const { events, otherEvents } = readFilter(openForm(context));
	return listEvents(events, otherEvents);
}

/** Reads what a registration is about. Throws Problem. */
export async function openTarget(
	context: Context,
	address: string,
	kind: Kind,
	events = readEvents(context),
): Promise<Target> {
	const credential = await openCredential(context);
	return {
		api: createApi(await keyConnection(context), INTERACTIVE_POLICY),
		credential,
		owner: readOwner(context),
		service: nameService(credential),
		kind,
		address,
		events,
		staticData: context.getWorkflowStaticData('node'),
		warn: (message) => warn(context, message),
	};
}

/**
 * Makes sure that the service calls the trigger. n8n asks for it on publishing, and at each start. If the service does not
 * answer, the stored registration counts until a later check: on an error, n8n would remove the registration, and events
 * would be lost.
 */
export async function register(context: IHookFunctions): Promise<boolean> {
	const kind = context.getActivationMode() === 'manual' ? 'test' : 'production';
	const address = readAddress(context);
	const form = openForm(context);
	try {
		const { dossiers } = checkFilter(readFilter(form));
		if (dossiers.length && isPublishing(context.getActivationMode())) {
			const api = createApi(await keyConnection(context), INTERACTIVE_POLICY);
			await requireDossiers(api, dossiers, 'dossiers');
		}
		if (isManual(form)) {
			const isUnsigned = readCollection(form, 'options').allowUnsigned === true;
			// Every delivery would be refused.
			if (!isUnsigned && !readEntered(await openCredential(context)).length)
				throw new Problem('WEBHOOK_SECRET_EMPTY', {});
			return true;
		}
		const target = await openTarget(context, address, kind);
		const isKept = kind === 'production' && hasRegistration(target);
		const left = readLeft(target);
		await ensureRegistration(target).then(
			() => left && warn(context, describeLeftover(left.service)),
			(error: unknown) => {
				if (!isKept || !isUnanswered(error)) throw error;
				const { message } = explainError(error);
				warn(context, `keeps its registration, and could not check it: ${message}`);
			},
		);
		if (lacksSecret(target)) warn(context, NO_SECRET);
		return true;
	} catch (error) {
		throw toRegistrationError(context, error);
	}
}

/** Removes the registration. n8n asks for it when a workflow is deactivated, so this never throws. */
export async function unregister(context: IHookFunctions): Promise<boolean> {
	// n8n does not say for which address, but only a published workflow is active (1.123, 2.40).
	const kind = context.getWorkflow().active ? 'production' : 'test';
	try {
		if (isManual(openForm(context))) return true;
		await removeRegistration(await openTarget(context, readAddress(context), kind));
	} catch (error) {
		// A workflow can be deactivated while the service is down. The next activation removes the registration that is left.
		warn(context, `could not remove its webhook: ${explainError(error).message}`);
	} finally {
		if (kind === 'production') forgetSecrets(readOwner(context));
	}
	return true;
}
