import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	IDataObject,
	IHookFunctions,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import type { DossierCredential } from './api/address';
import { INTERACTIVE_POLICY } from './api/callPolicy';
import { createApi } from './api/client';
import type { Api } from './api/client';
import { keyConnection } from './api/connection';
import { asList } from './execution/parameters';
import { getDossiers } from './execution/pickers';
import { explain, toNodeError } from './execution/problems/explain';
import { collectForms } from './execution/problems/labels';
import { triggerForm } from './trigger/form';
import { receive } from './trigger/respond';
import {
	eventsToRegister,
	isRegistered,
	register,
	registrationsOf,
	unregister,
} from './trigger/register';
import { schemeOf } from './trigger/scheme';

/** What a step of the registration needs. */
async function registrationOf(context: IHookFunctions) {
	const address = context.getNodeWebhookUrl('default') ?? '';
	const chosen = context.getNodeParameter('events', []) as string[];
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const typed = asList(options.otherEvents ?? []);
	const api: Api = createApi(await keyConnection(context), INTERACTIVE_POLICY);
	return {
		api,
		address,
		registrations: registrationsOf(context.getWorkflowStaticData('node')),
		events: eventsToRegister(chosen, typed),
	};
}

const isManual = (context: IHookFunctions) =>
	context.getNodeParameter('registration', 'automatic') === 'manual';

function toRegistrationError(context: IHookFunctions, error: unknown) {
	const forms = collectForms(triggerForm);
	const { message } = explain(error, forms);
	context.logger.warn(`Dossier Trigger could not register its webhook: ${message}`);
	return toNodeError(context.getNode(), error, forms);
}

export class DossierTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Dossier Trigger',
		name: 'dossierTrigger',
		icon: { light: 'file:../../icons/dossier.svg', dark: 'file:../../icons/dossier.dark.svg' },
		group: ['trigger'],
		// For every delivery to a trigger of version 1, n8n evaluates an expression: more work than all the rest (2.40)
		version: 1.1,
		subtitle: '={{ $parameter["events"].join(", ") }}',
		description: 'Starts the workflow when something happens in a dossier',
		eventTriggerDescription: '',
		activationMessage: 'The service now calls this workflow when the chosen events happen.',
		defaults: { name: 'Dossier Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'dossierApi', required: true, testedBy: 'testDossierApi' }],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				// Nothing: what the trigger gives n8n to answer with is what the sender gets
				responseData: '',
				path: 'webhook',
			},
		],
		triggerPanel: {
			header: 'Wait for an event of the service',
			executionsHelp: {
				inactive:
					'<b>While you build</b>: click the button, then let the event happen in the service, e.g. upload a document. It shows here, and the workflow runs once.<br><br><b>For every day</b>: <a data-key="activate">publish (activate)</a> the workflow. Every event then runs it, and shows in the <a data-key="executions">executions list</a>.',
				active:
					'<b>While you build</b>: click the button, then let the event happen in the service.<br><br><b>This workflow is active</b>, so it also runs by itself for every event. Those runs show in the <a data-key="executions">executions list</a>, not here.',
			},
			activationHint:
				'Once you have tested the workflow, <a data-key="activate">publish (activate)</a> it: then it runs for every event by itself.',
		},
		properties: triggerForm,
	};

	methods = { loadOptions: { getDossiers } };

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				if (isManual(this)) return true;
				try {
					const { api, registrations, address, events } = await registrationOf(this);
					return await isRegistered(api, registrations, address, events);
				} catch (error) {
					throw toRegistrationError(this, error);
				}
			},

			async create(this: IHookFunctions): Promise<boolean> {
				try {
					const { api, registrations, address, events } = await registrationOf(this);
					const credential = await this.getCredentials<DossierCredential & IDataObject>(
						'dossierApi',
					);
					await register(api, registrations, address, events, schemeOf(credential));
					return true;
				} catch (error) {
					throw toRegistrationError(this, error);
				}
			},

			async delete(this: IHookFunctions): Promise<boolean> {
				if (isManual(this)) return true;
				try {
					const { api, registrations, address } = await registrationOf(this);
					await unregister(api, registrations, address);
				} catch (error) {
					// A service that is not there must not keep anybody from switching a workflow off. What is left of it is
					// removed when the workflow is activated the next time.
					const { message } = explain(error, collectForms(triggerForm));
					this.logger.warn(`Dossier Trigger could not remove its webhook: ${message}`);
				}
				return true;
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receive(this);
	}
}
