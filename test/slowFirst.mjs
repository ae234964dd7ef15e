import Sequencer from '@jest/test-sequencer';

/** The files of these projects, and the one that runs n8n's scan, take longest, which jest cannot tell by their size. */
const SLOW = ['table'];
const SCAN = '/test/integration/scan.test.mts';

const isSlow = ({ context, path }) =>
	SLOW.includes(context.config.displayName?.name) || path.endsWith(SCAN);

/** Begins with slow files, so that no worker is left alone with one of them at the end. */
export default class SlowFirst extends Sequencer {
	sort(tests) {
		return super.sort(tests).sort((a, b) => Number(isSlow(b)) - Number(isSlow(a)));
	}
}
