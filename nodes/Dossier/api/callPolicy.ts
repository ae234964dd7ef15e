/** How one execution calls the service, from its options and from n8n. */
export interface CallPolicy {
	/** How many requests may be under way at once. */
	concurrency: number;
	/** How many may be under way at first, if the number adapts to what the service bears. */
	startConcurrency?: number;
	/** The longest wait of one call for the rate limit, in ms. */
	longestWait: number;
	/** How long the service may be silent before a call fails, in ms. */
	timeout: number;
	/** Aborts when the execution is cancelled. */
	signal?: AbortSignal;
}

/** For work in the background, unless its options say otherwise. */
export const BACKGROUND_POLICY: CallPolicy = {
	concurrency: 16,
	startConcurrency: 5,
	longestWait: 90_000,
	timeout: 300_000,
};

/** For a person who waits at a form: better an error now than an answer in a minute. */
export const INTERACTIVE_POLICY: CallPolicy = {
	concurrency: 1,
	longestWait: 10_000,
	timeout: 15_000,
};
