import { dirname } from 'node:path';
import { openIntake, readFilesOption } from './intake/intake.mts';
import { runToEnd } from './process/lifecycle.mts';

await runToEnd(async (lifecycle) => {
	const { isComplete } = await openIntake(lifecycle, {
		root: dirname(import.meta.dirname),
		files: readFilesOption('npm run demo'),
		wantedPorts: { host: 0, sandbox: 0 },
	});
	return isComplete ? 0 : 1;
});
