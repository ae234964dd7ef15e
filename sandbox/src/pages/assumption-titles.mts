import { readFileSync } from 'node:fs';

let titles: Map<string, string> | undefined;

/** The title of every assumption by its number, such as `A-02`. */
export function readAssumptionTitles(): ReadonlyMap<string, string> {
	if (titles) return titles;
	const file = new URL('../../../docs/contract.md', import.meta.url);
	const headings = readFileSync(file, 'utf8').matchAll(/^## (A-\d+) (.+)$/gm);
	titles = new Map([...headings].map(([, number = '', title = '']) => [number, title]));
	return titles;
}
