/** What n8n's process keeps of this package for good. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Memory } from '../../nodes/Dossier/api/memory';

const nodes = join(__dirname, '../../nodes/Dossier');

/** The maps and sets that a module makes once: what they are made by, and whether the module takes out what it puts in. */
const kept = readdirSync(nodes, { recursive: true, encoding: 'utf8' })
	.filter((path) => path.endsWith('.ts'))
	.flatMap((path) => {
		const text = readFileSync(join(nodes, path), 'utf8');
		return [...text.matchAll(/^const (\w+) = new (\w*(?:Map|Set)|Memory)<.*>\(/gm)].map(
			([, name = '', kind = '']) => ({ name, kind, ends: text.includes(`${name}.delete(`) }),
		);
	});

it('Every map of a module has a bound, or holds only what is in progress', () => {
	const unbounded = kept.filter(({ kind }) => kind !== 'Memory');

	expect(kept.length).toBeGreaterThan(10);
	expect(unbounded.map(({ name }) => name).sort()).toEqual([
		'formatSearches',
		'lastTurns',
		'polling',
		'underWay',
	]);
	expect(unbounded.every(({ ends }) => ends)).toBe(true);
});

it('A memory forgets the value that was set least recently', () => {
	const memory = new Memory<number>(2);
	memory.set('a', 1).set('b', 2).set('a', 3).set('c', 4);

	expect([...memory]).toEqual([
		['a', 3],
		['c', 4],
	]);
});
