// Kills process groups and removes a folder when its parent has ended, also by SIGKILL or Ctrl-C.
import { rmSync } from 'node:fs';

const [folder] = process.argv.slice(2);
const groups = [];

process.on('message', (group) => groups.push(group));

process.on('disconnect', () => {
	for (const group of groups) {
		try {
			process.kill(-group, 'SIGKILL');
		} catch {
			// It has ended in order, as it should.
		}
	}
	rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});
