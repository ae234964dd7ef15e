import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	IExecuteFunctions,
	IHookFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	ITriggerFunctions,
	ITriggerResponse,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { chosenLabels } from './execution/fields';
import { getDossiers } from './execution/pickers';
import { runDelivered } from './trigger/enrich';
import { eventsField, triggerForm } from './trigger/form';
import { register, unregister } from './trigger/lifecycle';
import { handleDelivery } from './trigger/receive';
import { watchRegistration } from './trigger/watch';

export class DossierTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Dossier Trigger',
		name: 'dossierTrigger',
		icon: { light: 'file:../../icons/dossier.svg', dark: 'file:../../icons/dossier.dark.svg' },
		group: ['trigger'],
		// n8n 2.40 evaluates an expression for each delivery to a trigger of version 1, which costs more than all the rest
		version: 1.1,
		subtitle: `={{ ${chosenLabels(eventsField)} }}`,
		// n8n's list of nodes shows the action node and this trigger as one entry, with this description.
		description:
			'Start a workflow when something happens to dossiers, documents, portal users or tasks, or manage them',
		eventTriggerDescription: '',
		activationMessage: 'The service now calls this workflow when the chosen events happen.',
		defaults: { name: 'Dossier Trigger' },
		builderHint: {
			searchHint:
				'Starts when a document is uploaded or deleted, a dossier is created, a portal user is invited or signs in, or a task is due soon. Events come at least once in n8n 2 (n8n 1 may lose the last ones if it is killed): make what follows safe to run again. If the service cannot call this n8n, use n8n-nodes-dossier.dossierPollTrigger.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-dossier.dossier',
					relationHint: 'Reads the document or the dossier of the event, and acts on it',
				},
			],
		},
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'dossierApi', required: true, testedBy: 'testDossierApi' }],
		webhooks: [
			// For services that ask for proof, or for any answer, before they accept an address
			{
				name: 'setup',
				httpMethod: 'GET',
				responseMode: 'onReceived',
				path: 'webhook',
				ndvHideUrl: true,
			},
			{
				name: 'setup',
				httpMethod: 'HEAD',
				responseMode: 'onReceived',
				path: 'webhook',
				ndvHideUrl: true,
			},
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				// Empty, so that the sender gets the answer of the trigger
				responseData: '',
				path: 'webhook',
			},
		],
		triggerPanel: {
			header: 'Wait for an event',
			executionsHelp: {
				inactive:
					'<b>While you build</b>: click the button, then cause the event in the service, e.g. upload a document. The event shows here, and the workflow runs once.<br><br><b>In production</b>: <a data-key="activate">publish (activate)</a> the workflow. It then runs for every event. These runs show in the <a data-key="executions">executions list</a>.',
				active:
					'<b>While you build</b>: click the button, then cause the event in the service.<br><br><b>This workflow is published</b>, so it also runs for every event. These runs show in the <a data-key="executions">executions list</a>, not here.',
			},
			activationHint:
				'After you have tested the workflow, <a data-key="activate">publish (activate)</a> it, so that it runs for every event.',
		},
		hints: [
			{
				message:
					'Unsigned deliveries are allowed: anybody who knows the webhook URL can start this workflow',
				type: 'warning',
				location: 'outputPane',
				whenToDisplay: 'always',
				displayCondition: '={{ $parameter["options"]["allowUnsigned"] === true }}',
			},
		],
		properties: triggerForm,
	};

	methods = { loadOptions: { getDossiers } };

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				return await register(this);
			},

			/** n8n calls this if the registration does not exist; by then, it does. */
			async create(this: IHookFunctions): Promise<boolean> {
				return await Promise.resolve(true);
			},

			async delete(this: IHookFunctions): Promise<boolean> {
				return await unregister(this);
			},
		},
	};

	/** n8n calls this on the leading main process, in addition to the webhook methods (1.123, 2.40). */
	async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
		return await watchRegistration(this);
	}

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await handleDelivery(this);
	}

	/** n8n calls this as the first step of a run that a delivery begins. */
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runDelivered(this);
	}
}
