import { createHash } from 'crypto';
import type {
	IDataObject,
	IHookFunctions,
	ITriggerFunctions,
	ITriggerResponse,
} from 'n8n-workflow';
import { INTERACTIVE_POLICY } from '../api/callPolicy';
import { createApi } from '../api/client';
import { keyConnection } from '../api/connection';
import { Problem } from '../api/problem';
import { splitList } from '../execution/parameters';
import { explain, toNodeError } from '../execution/problems/explain';
import { collectForms } from '../execution/problems/labels';
import { forgetRenewals } from './authenticate';
import { forgetDeliveries } from './deduplicate';
import { triggerForm } from './form';
import { forgetSecrets, openCredential } from './keyring';
import { nameOwner, namePlace, nameTrigger, readOwner } from './owner';
import type { Kind } from './owner';
import { checkRegistration, createRegistration, removeRegistration } from './register';
import type { Target } from './register';
import { listEvents, readRegistration } from './registrations';
import { readEntered } from './secrets';

type Context = IHookFunctions | ITriggerFunctions;

/** Test addresses that this process has opened: n8n says that a step belongs to a test only when it begins. */
const testAddresses = new Set<string>();

const isManual = (context: Context) =>
	context.getNodeParameter('registration', 'automatic') === 'manual';

const readOptions = (context: Context) => context.getNodeParameter('options', {}) as IDataObject;

const readAddress = (context: IHookFunctions) => context.getNodeWebhookUrl('default') ?? '';

const tell = (error: unknown) => explain(error, collectForms(triggerForm)).message;

function toRegistrationError(context: IHookFunctions, error: unknown) {
	context.logger.warn(`${nameTrigger(context)} could not register its webhook: ${tell(error)}`);
	return toNodeError(context.getNode(), error, collectForms(triggerForm));
}

function readEvents(context: Context): string[] {
	const chosen = context.getNodeParameter('events', []) as string[];
	return listEvents(chosen, splitList(readOptions(context).otherEvents ?? []));
}

async function openTarget(
	context: Context,
	address: string,
	kind: Kind,
	events = readEvents(context),
): Promise<Target> {
	return {
		api: createApi(await keyConnection(context), INTERACTIVE_POLICY),
		credential: await openCredential(context),
		owner: readOwner(context),
		kind,
		address,
		events,
		staticData: context.getWorkflowStaticData('node'),
	};
}

/** Without a secret, manual registration would refuse every delivery. */
async function refuseMissingSecret(context: IHookFunctions): Promise<void> {
	if (readOptions(context).allowUnsigned === true) return;
	if (readEntered(await openCredential(context)).length) return;
	throw new Problem('WEBHOOK_SECRET_EMPTY', {});
}

/** Whether the service calls the trigger already. n8n asks before it registers: on publishing, and at each of its starts. */
export async function isRegistered(context: IHookFunctions): Promise<boolean> {
	const kind = context.getActivationMode() === 'manual' ? 'test' : 'production';
	const address = readAddress(context);
	if (kind === 'test') testAddresses.add(address);
	try {
		if (!isManual(context)) {
			return await checkRegistration(await openTarget(context, address, kind));
		}
		await refuseMissingSecret(context);
		return true;
	} catch (error) {
		throw toRegistrationError(context, error);
	}
}

export async function register(context: IHookFunctions): Promise<boolean> {
	const kind = context.getActivationMode() === 'manual' ? 'test' : 'production';
	try {
		await createRegistration(await openTarget(context, readAddress(context), kind));
		return true;
	} catch (error) {
		throw toRegistrationError(context, error);
	}
}

export async function unregister(context: IHookFunctions): Promise<boolean> {
	const address = readAddress(context);
	const kind = testAddresses.delete(address) ? 'test' : 'production';
	const owner = readOwner(context);
	forgetDeliveries(namePlace(owner, kind));
	if (kind === 'production') {
		forgetSecrets(owner);
		forgetRenewals(owner);
	}
	try {
		if (isManual(context)) return true;
		await removeRegistration(await openTarget(context, address, kind));
	} catch (error) {
		// A service that is down must not keep anybody from switching a workflow off. What is left of the registration is
		// removed when the workflow is activated the next time.
		context.logger.warn(`${nameTrigger(context)} could not remove its webhook: ${tell(error)}`);
	}
	return true;
}

/** Brings a registration back that the service has dropped or paused while the workflow is active. */
async function restoreRegistration(context: ITriggerFunctions, events: string[]): Promise<void> {
	const staticData = context.getWorkflowStaticData('node');
	const registration = readRegistration(staticData, readOwner(context), 'production');
	if (!registration) return;
	const name = nameTrigger(context);
	try {
		const target = await openTarget(context, registration.address, 'production', events);
		if (await checkRegistration(target)) return;
		await createRegistration(target);
		context.logger.warn(`${name} registered its webhook again: the service had dropped it`);
	} catch (error) {
		context.logger.warn(`${name} could not check its registration: ${tell(error)}`);
	}
}

/** Looks after the registration once an hour, each trigger at a minute and second of its own. */
export function watchRegistration(context: ITriggerFunctions): ITriggerResponse {
	if (context.getMode() === 'manual' || isManual(context)) return {};
	const [second = 0, minute = 0] = createHash('sha256')
		.update(nameOwner(readOwner(context)))
		.digest();
	const expression = `${second % 60} ${minute % 60} * * * *` as const;
	// When the time comes, n8n has no engine for expressions ready (1.123, 2.40), so the form is read now.
	const events = readEvents(context);
	context.helpers.registerCron({ expression }, () => void restoreRegistration(context, events));
	return {};
}
