// Ends a process group and removes a folder when its parent is gone, also when that was killed or interrupted with Ctrl-C.
import { rmSync } from 'node:fs';

const [group, folder] = process.argv.slice(2);

process.on('disconnect', () => {
	try {
		process.kill(-Number(group), 'SIGKILL');
	} catch {
		// It has ended in order, as it should.
	}
	rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});
