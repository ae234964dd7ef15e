import { dirname, join } from 'node:path';
import { takePictures } from './pictures/stills.mts';
import { openStudio } from './pictures/studio.mts';
import { runToEnd } from './process/lifecycle.mts';
import { say } from './process/terminal.mts';

const root = dirname(import.meta.dirname);

await runToEnd(async (lifecycle) => {
	const folder = join(root, 'docs/images');
	await takePictures(await openStudio(lifecycle, root), folder);
	say(`The pictures are in ${folder}. Look at each before you commit it.`);
	return 0;
});
