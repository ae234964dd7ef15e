import { createHash } from 'crypto';
import { deepCopy } from 'n8n-workflow';
import type { ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import { explainError } from './form';
import { describeLeft, isManual, openTarget, readEvents } from './lifecycle';
import { nameOwner, readOwner, warn } from './owner';
import { ensureRegistration, removeRegistration } from './register';
import { readLeft, readRegistration, readSecret } from './stored';
import type { Target } from './stored';

/** How long it waits after it could not tell the service of a changed credential, in ms. */
const PAUSE_MS = 300_000;

/** Watches the registration of a published workflow, in the process that has published it. */
class Watch {
	private readonly context: ITriggerFunctions;
	/** Read at the beginning, because n8n has no engine for expressions when a cron job runs (1.123, 2.40). */
	private readonly events: string[];
	/** Kept, because there is no stored registration if the service failed after it was removed. */
	private address = '';
	/** By the credential that the service was told of last, whose key this still has. */
	private told?: Target;
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
		this.told = await this.open().catch(() => undefined);
	}

	/** Registers again if the credential has changed or, each hour, if the service has dropped or paused the registration. */
	async check(isHourly: boolean): Promise<void> {
		if (this.isBusy || (!isHourly && Date.now() < this.pausedUntil)) return;
		this.isBusy = true;
		try {
			const target = await this.open();
			const isSame = JSON.stringify(target.credential) === JSON.stringify(this.told?.credential);
			const isDue = isHourly || this.pausedUntil > 0 || !isSame;
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
		const { context, address, told } = this;
		const hasMoved = told !== undefined && told.service !== target.service;
		const left = hasMoved ? told.service : readLeft(target)?.service;
		// Before the registration that is made takes its place.
		const staticData = deepCopy(target.staticData);
		const isMade = await ensureRegistration(target);
		this.told = target;
		if (isMade) warn(context, 'registered its webhook again');
		else if (told && readSecret(told) !== readSecret(target))
			warn(context, 'gave the service its new signing secret');
		if (left === undefined) return;
		try {
			if (!hasMoved) throw new Error('Its key is not known');
			await removeRegistration({ ...told, address, staticData });
		} catch {
			warn(context, describeLeft(left));
		}
	}
}

/**
 * Checks the registration once an hour, and once a minute whether the credential has changed, which asks nothing of the
 * service. Triggers do so at different minutes and seconds.
 */
export async function watchRegistration(context: ITriggerFunctions): Promise<ITriggerResponse> {
	if (context.getMode() === 'manual' || isManual(context)) return {};
	const watch = new Watch(context);
	await watch.begin();
	const owner = nameOwner(readOwner(context));
	const [second = 0, minute = 0] = createHash('sha256').update(owner).digest();
	const each = `${second % 60} * * * * *` as const;
	const hourly = `${(second + 30) % 60} ${minute % 60} * * * *` as const;
	context.helpers.registerCron({ expression: each }, () => void watch.check(false));
	context.helpers.registerCron({ expression: hourly }, () => void watch.check(true));
	return {};
}
