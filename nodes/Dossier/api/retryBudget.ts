const CAPACITY = 500;
const RETRY_COST = 5;
/** A retry after a broken connection or a silent service costs more, because such attempts take long. */
const TIMEOUT_RETRY_COST = 10;
/** What a call pays in if its first attempt is answered. */
const NO_RETRY_INCREMENT = 1;

/**
 * What the calls of a run may spend on retries, like the retry quota of the AWS SDKs. An outage uses it up; then every
 * call reports its first error at once.
 */
export class RetryBudget {
	private available = CAPACITY;

	/** Pays for one retry; gives its cost, or `undefined` if the budget is used up. */
	pay(isBroken: boolean): number | undefined {
		const cost = isBroken ? TIMEOUT_RETRY_COST : RETRY_COST;
		if (cost > this.available) return undefined;
		this.available -= cost;
		return cost;
	}

	/** Pays in the cost of the last retry of a call that was answered. */
	refund(paid: number): void {
		this.available = Math.min(CAPACITY, this.available + (paid || NO_RETRY_INCREMENT));
	}
}
