import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Writes small, different text files into a new folder; gives the pattern that matches them. */
export async function writeSmallFiles(folder: string, count: number): Promise<string> {
	const place = join(folder, `small ${count}`);
	await mkdir(place, { recursive: true });
	const names = Array.from({ length: count }, (_, at) => `Letter ${at + 1}.txt`);
	for (const name of names) await writeFile(join(place, name), `${name} says this. `.repeat(80));
	return join(place, '*.txt');
}
