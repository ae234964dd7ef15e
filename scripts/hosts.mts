import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { installHost } from './host/install.mts';
import { runToEnd } from './process/lifecycle.mts';
import { say } from './process/terminal.mts';
import { findToolchain } from './process/toolchain.mts';

/** Installs every n8n that is pinned in `hosts/`, so that later commands find it there. */
await runToEnd(async (lifecycle) => {
	const root = dirname(import.meta.dirname);
	const hosts = join(root, 'hosts');
	const toolchain = await findToolchain(root);
	for (const name of (await readdir(hosts)).filter((one) => one.startsWith('n8n-')).sort()) {
		await installHost(lifecycle, toolchain, join(hosts, name));
		say(`hosts/${name} is installed.`);
	}
	return 0;
});
