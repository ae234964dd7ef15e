import { createHash } from 'crypto';
import type { ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import { explainError, isManual, openForm } from './form';
import { describeLeftover, openTarget, readEvents, toRegistrationError } from './lifecycle';
import { nameOwner, readOwner, warn } from './owner';
import { ensureRegistration } from './register';
import { isOutdated, readKnown, readLeft, readRegistration } from './stored';
import type { Registration, Target } from './stored';
import { removeWebhook } from './webhookCalls';

/** How long it waits after it could not tell the service of a changed credential, in ms. */
const PAUSE_MS = 300_000;

/** Watches the registration of a published workflow, in the process that has published it. */
class Watch {
	private readonly context: ITriggerFunctions;
	/** Read at the beginning, because n8n has no engine for expressions when a cron job runs (1.123, 2.40). */
	private readonly events: string[];
	/** Kept, because there is no stored registration if the service failed after it was removed. */
	private address = '';
	/** By the credential that was right last, whose key this still has. */
	private last?: Target;
	/** A registration at another service, or of its other environment. */
	private left?: Registration;
	private isBusy = false;
	/** After a try that failed, since which the registration may be gone, in ms since 1970; otherwise 0. */
	private pausedUntil = 0;

	constructor(context: ITriggerFunctions) {
		this.context = context;
		this.events = readEvents(context);
	}

	/** Without an address until n8n has registered it, which n8n 2 does at the same time as it begins this. */
	private async open(): Promise<Target> {
		const { context, events } = this;
		const staticData = context.getWorkflowStaticData('node');
		const stored = readRegistration(staticData, readOwner(context), 'production');
		this.address = stored?.address ?? this.address;
		return await openTarget(context, this.address, 'production', events);
	}

	async begin(): Promise<void> {
		this.last = await this.open().catch(() => undefined);
	}

	/** Registers again if the credential has changed or, each hour, if the service has dropped or paused the registration. */
	async check(isHourly: boolean): Promise<void> {
		if (this.isBusy || (!isHourly && Date.now() < this.pausedUntil)) return;
		this.isBusy = true;
		try {
			const target = await this.open();
			const isDue = isHourly || this.pausedUntil > 0 || isOutdated(target);
			if (target.address && isDue) await this.restore(target);
			this.pausedUntil = 0;
		} catch (error) {
			this.pausedUntil = Date.now() + PAUSE_MS;
			warn(this.context, `could not check its registration: ${explainError(error).message}`);
		} finally {
			this.isBusy = false;
		}
	}

	private async restore(target: Target): Promise<void> {
		const hasChanged = isOutdated(target);
		this.left = readLeft(target) ?? this.left;
		const isMade = await ensureRegistration(target);
		if (isMade) warn(this.context, 'registered its webhook again');
		else if (hasChanged) warn(this.context, 'gave the service its new signing secret');
		const { left } = this;
		// A service that has one list for both of its environments has kept the webhook.
		const isKept = !isMade && left?.id === readKnown(target)?.id;
		if (left && !isKept) await this.removeLeft(left);
		this.last = target;
		delete this.left;
	}

	/** Removes what is left elsewhere, if this process still has the key, or says that it is left. */
	private async removeLeft({ service, id }: Registration): Promise<void> {
		const { last } = this;
		try {
			if (last?.service !== service) throw new Error('Its key is not known');
			// Not by the address: a service may have one list for both of its environments.
			await removeWebhook(last.api, id);
		} catch {
			warn(this.context, describeLeftover(service));
		}
	}
}

/** `undefined` for a test and if a person registers the URL. */
function openWatch(context: ITriggerFunctions): Watch | undefined {
	try {
		if (context.getMode() === 'manual' || isManual(openForm(context))) return undefined;
		return new Watch(context);
	} catch (error) {
		throw toRegistrationError(context, error);
	}
}

/**
 * Checks the registration once an hour, and once a minute whether the credential has changed, which asks nothing of the
 * service. Triggers do so at different minutes and seconds.
 */
export async function watchRegistration(context: ITriggerFunctions): Promise<ITriggerResponse> {
	const watch = openWatch(context);
	if (!watch) return {};
	await watch.begin();
	const owner = nameOwner(readOwner(context));
	const [second = 0, minute = 0] = createHash('sha256').update(owner).digest();
	const each = `${second % 60} * * * * *` as const;
	const hourly = `${(second + 30) % 60} ${minute % 60} * * * *` as const;
	context.helpers.registerCron({ expression: each }, () => void watch.check(false));
	context.helpers.registerCron({ expression: hourly }, () => void watch.check(true));
	return {};
}
