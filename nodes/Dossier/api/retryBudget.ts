/**
 * What a run may spend on retries, as in the retry quota of the AWS SDKs: an outage uses it up, and then every call tells
 * its first error at once, instead of being sent four times.
 */
const CAPACITY = 500;
const RETRY_COST = 5;
/** A broken connection or a silent service costs more, since each such try takes long. */
const TIMEOUT_RETRY_COST = 10;
/** What a call gives back that was answered at its first try. */
const NO_RETRY_INCREMENT = 1;

export class RetryBudget {
	private available = CAPACITY;

	/** Pays for one retry; gives what it cost, or `undefined` if the budget is used up. */
	pay(isBroken: boolean): number | undefined {
		const cost = isBroken ? TIMEOUT_RETRY_COST : RETRY_COST;
		if (cost > this.available) return undefined;
		this.available -= cost;
		return cost;
	}

	/** Takes back what the last retry of a call cost, because the call was answered. */
	refund(paid: number): void {
		this.available = Math.min(CAPACITY, this.available + (paid || NO_RETRY_INCREMENT));
	}
}
