import { dirname } from 'node:path';
import { openIntake, readFilesOption } from './intake.ts';
import { runToEnd } from './interruption.ts';

await runToEnd(async (course) => {
	const { complete } = await openIntake(course, {
		root: dirname(import.meta.dirname),
		files: readFilesOption('npm run demo'),
		wantedPorts: { host: 0, sandbox: 0 },
	});
	return complete ? 0 : 1;
});
