import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { recordDemonstration } from './pictures/demonstration.mts';
import { takePictures } from './pictures/stills.mts';
import { openStudio } from './pictures/studio.mts';
import { runToEnd } from './process/lifecycle.mts';
import { say } from './process/terminal.mts';

const root = dirname(import.meta.dirname);

await runToEnd(async (lifecycle) => {
	const { video } = parseArgs({ options: { video: { type: 'boolean' } } }).values;
	const studio = await openStudio(lifecycle, root);
	if (video) {
		const folder = join(root, '.cache');
		const path = join(folder, 'demonstration.webm');
		await mkdir(folder, { recursive: true });
		await writeFile(path, await recordDemonstration(studio));
		say(`The demonstration is in ${path}.`);
	} else {
		const folder = join(root, 'docs/images');
		await takePictures(studio, folder);
		say(`The pictures are in ${folder}. Look at each before you commit it.`);
	}
	return 0;
});
