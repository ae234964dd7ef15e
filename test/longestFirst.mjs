import Sequencer from '@jest/test-sequencer';

/** The files that take longest, the longest first. If one of them came last, a worker would wait for it alone. */
const LONGEST = [
	'integration/misbehaviour/table',
	'dialects/dialects',
	'integration/misbehaviour/contract',
	'integration/uploads',
	'live/pollTrigger',
	'live/examples',
	'live/trigger',
	'live/triggerCrash',
	'live/soak',
	'live/forms',
	'live/operations',
	'live/misbehaviour',
	'live/newOnly',
	'live/editor',
	'live/registry',
].map((name) => `/test/${name}.test.ts`);

/** Runs the files that take longest first; a new checkout has no times of earlier runs. */
export default class LongestFirst extends Sequencer {
	sort(tests) {
		const rank = ({ path }) => {
			const at = LONGEST.findIndex((name) => path.endsWith(name));
			return at < 0 ? LONGEST.length : at;
		};
		return super.sort(tests).sort((one, other) => rank(one) - rank(other));
	}
}
