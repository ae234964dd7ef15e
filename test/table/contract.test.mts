/** Check Contract against the misbehaviors of the calls that it makes, by pairs, or all with TABLE=all. */
import { inspect } from 'node:util';
import { toText } from '../../nodes/Dossier/api/json';
import { shortenPauses } from '../integration/fakeService.mts';
import { engine } from './engine.mts';
import { checkContract } from './jobs/checkContract.mts';
import { SECRETS } from './judge.mts';
import { choosePairs } from './pairs.mts';
import { findLeftovers, prepare, rowsFor } from './rows.mts';
import type { Holdings } from './service/holdings.mts';
import { FAILURES } from './misbehaviors/misbehavior.mts';
import type { Row } from './misbehaviors/misbehavior.mts';

const RESULTS = ['understood', 'differs', 'refused', 'no answer', undefined];

shortenPauses();

/** The records that the check made, and neither deleted nor named in its report. */
function findForgotten({ dossiers, documents }: Holdings, named: string): string[] {
	const made = [...dossiers.keys(), ...documents.keys()].filter((id) => !id.includes('mark-'));
	const readTitle = (id: string) => toText(dossiers.get(id)?.title) ?? id;
	const isNamed = (id: string) => named.includes(id) || named.includes(readTitle(id));
	return made.filter((id) => !isNamed(id));
}

/** The fault in an error that ends a check: it has no code of the table, or lacks a sentence. */
function findErrorProblems(error: unknown): string[] {
	const { code, message, hint }: Record<string, unknown> = { ...Object(error) };
	const isUsual = Object.values(FAILURES).some((codes) => codes.test(String(code)));
	return isUsual && message && hint ? [] : [inspect(error)];
}

async function judgeCheck(row: Row): Promise<string[]> {
	const { service, work } = await prepare(row);
	try {
		const { outcome } = await engine('check')(work);
		const whole = inspect(outcome, { depth: 8, maxArrayLength: null, maxStringLength: null });
		const problems = await findLeftovers(service);
		if (!service.requests.some(({ struck }) => struck)) problems.push('it did not strike');
		for (const [name, secret] of Object.entries(SECRETS))
			if (whole.includes(secret)) problems.push(`the ${name} is in the output`);
		for (const { json } of outcome.items) {
			if (json.error) problems.push(...findErrorProblems(json.error));
			else if (!RESULTS.includes(json.result as string | undefined)) problems.push(inspect(json));
		}
		const forgotten = findForgotten(service.holdings, whole);
		if (forgotten.length) problems.push(`${forgotten.join(', ')} is left and not named`);
		// Every request counts, whatever the service answers.
		if (service.requests.length > 40) problems.push(`${service.requests.length} requests`);
		return problems;
	} finally {
		await service.stop();
	}
}

/** The answer 404 to a deletion: every operation of the node takes the record for deleted. */
const isBelieved = ({ target: { call }, misbehavior: { name } }: Row) =>
	call === 'dossiers.delete' && name === 'refuses with 2 MB of explanation';

const possible = rowsFor([checkContract])
	.filter((row) => row.continues && row.misbehavior.costs === undefined && !isBelieved(row))
	.map((row) => ({ row, mode: 'filesystem' as const }));
const runs = process.env.TABLE === 'all' ? possible : choosePairs(possible);
const chosen = runs.map(({ row }) => row);

it.concurrent.each(chosen.map((row) => [row.name, row] as const))('%s', async (_, row) => {
	expect(await judgeCheck(row)).toEqual([]);
});
