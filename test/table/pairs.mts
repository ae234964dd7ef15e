/** The rows of the table that `npm test` runs; `npm run test:full` runs them all. */
import { inspect } from 'node:util';
import { findEnding } from './misbehaviors/misbehavior.mts';
import type { Row } from './misbehaviors/misbehavior.mts';

/** A row in one of n8n's ways to keep files. */
interface Run {
	row: Row;
	mode: 'filesystem' | 'default';
}

/** The factors that make two runs behave differently. */
function listFactors({ row: { target, misbehavior, continues }, mode }: Run) {
	const { job, call, method, answer, sendsFile } = target;
	return {
		target: `${job.operation} ${job.variant} ${call}`,
		misbehavior: misbehavior.name,
		/** The calls that the code behind `api.call` treats alike. */
		kind: `${method} ${answer} ${sendsFile}`,
		ending: inspect(findEnding({ target, misbehavior })),
		continues: String(continues),
		mode,
	};
}

/** Every pair of two factors of a run, but for target and misbehavior, which would be the whole table. */
function listPairs(run: Run): string[] {
	const factors = Object.entries(listFactors(run));
	return factors.flatMap(([one, value], at) =>
		factors
			.slice(at + 1)
			.filter(([other]) => !(one === 'target' && other === 'misbehavior'))
			.map(([other, with_]) => [one, value, other, with_].join('\0')),
	);
}

/** As few runs as a greedy choice finds in which every pair of factors occurs that occurs in any of them. */
export function choosePairs(runs: Run[]): Run[] {
	const left = runs.map((run) => ({ run, pairs: listPairs(run) }));
	const covered = new Set<string>();
	const chosen = new Set<Run>();
	const most = Math.max(0, ...left.map(({ pairs }) => pairs.length));
	for (let fresh = most; fresh > 0; fresh--) {
		for (const { run, pairs } of left) {
			if (pairs.filter((pair) => !covered.has(pair)).length < fresh) continue;
			chosen.add(run);
			for (const pair of pairs) covered.add(pair);
		}
	}
	return runs.filter((run) => chosen.has(run));
}
