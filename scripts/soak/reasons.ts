import type { Settlement } from './settle.ts';
import type { Strike } from './troubles.ts';

/** Why a file is there twice, although the node skips a file that is there. */
export function explainDoubledFile(failures: string[]): string | undefined {
	if (failures.some((code) => code.startsWith('n8n: ECONN'))) {
		return 'n8n was killed during the upload, and the service stored the file after the next try had looked for it';
	}
	if (failures.some((code) => /^(ECONN|ETIMEDOUT)/.test(code))) {
		return 'the node gave up an upload, and the service stored the file after the next try had looked for it';
	}
	return undefined;
}

/** Why an event was reported at several times, which are sorted. */
export function explainDoubledEvent(
	[first = 0, second = 0]: number[],
	wasUnanswered: boolean,
	strikes: Strike[],
	{ begin }: Settlement,
): string | undefined {
	if (second >= begin) {
		return 'a run that had reported was interrupted, and was run again when asked';
	}
	const killed = strikes.some(
		(strike) => strike.kind === 'killed n8n' && strike.end >= first && strike.begin <= second,
	);
	if (killed) return 'n8n was killed before it had written the delivery down, and got it again';
	if (wasUnanswered) return 'the service got no answer in time, and sent it again';
	return undefined;
}
