/** What this package keeps in the memory of n8n's process. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Memory } from '../../nodes/Dossier/api/memory';

const nodes = join(__dirname, '../../nodes/Dossier');

/** The maps and sets at the top of each module: their class, and whether the module deletes entries. */
const collections = readdirSync(nodes, { recursive: true, encoding: 'utf8' })
	.filter((path) => path.endsWith('.ts'))
	.flatMap((path) => {
		const text = readFileSync(join(nodes, path), 'utf8');
		return [...text.matchAll(/^const (\w+) = new (\w*(?:Map|Set)|Memory)<.*>\(/gm)].map(
			([, name = '', kind = '']) => ({ name, kind, hasDelete: text.includes(`${name}.delete(`) }),
		);
	});

it('Every map of a module has a bound, or holds only work in progress', () => {
	const unbounded = collections.filter(({ kind }) => kind !== 'Memory');

	expect(collections.length).toBeGreaterThan(10);
	expect(unbounded.map(({ name }) => name).sort()).toEqual([
		'formatSearches',
		'lastTurns',
		'polling',
		'underWay',
	]);
	expect(unbounded.every(({ hasDelete }) => hasDelete)).toBe(true);
});

it('A memory forgets the value that was set least recently', () => {
	const memory = new Memory<number>(2);
	memory.set('a', 1).set('b', 2).set('a', 3).set('c', 4);

	expect([...memory]).toEqual([
		['a', 3],
		['c', 4],
	]);
});
