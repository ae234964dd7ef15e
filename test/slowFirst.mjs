import Sequencer from '@jest/test-sequencer';

/** Their few files take longest, which jest cannot tell by their size. */
const SLOW = ['table', 'dialects'];

const isSlow = ({ context }) => SLOW.includes(context.config.displayName?.name);

/** Begins with slow projects, so that no worker is left alone with one of their files at the end. */
export default class SlowFirst extends Sequencer {
	sort(tests) {
		return super.sort(tests).sort((a, b) => Number(isSlow(b)) - Number(isSlow(a)));
	}
}
