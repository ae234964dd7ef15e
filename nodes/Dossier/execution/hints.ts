import type { NodeExecutionHint } from 'n8n-workflow';
import { PLANNED_ACTIONS } from './operation';
import type { PlannedAction, RunFact } from './operation';
import { describeTime } from './progress';

/** The shortest wait that a hint mentions, in ms. */
const NOTABLE_WAIT = 5_000;

/** From this time on, in ms, a run is long, and a hint sums it up. */
const LONG_RUN = 60_000;

/** How many reasons for refusals, or other words, a hint lists. */
const MOST_LISTED = 3;

/** The facts with this beginning: what follows it, and the count. */
const listAfter = (facts: ReadonlyMap<RunFact, number>, beginning: string) =>
	[...facts].flatMap(([fact, count]) =>
		fact.startsWith(beginning) ? [[fact.slice(beginning.length), count] as const] : [],
	);

/** The first entries of a list, with an ellipsis if there are more. */
const listFirst = (listed: string[]) => [
	...listed.slice(0, MOST_LISTED),
	...(listed.length > MOST_LISTED ? ['…'] : []),
];

/** Says what a real run would do, or why it would be refused; `undefined` without a dry run. */
function describePlan(
	facts: ReadonlyMap<RunFact, number>,
	place: string,
	forecast: (writes: number) => number,
): string | undefined {
	const planned = PLANNED_ACTIONS.flatMap((action) => {
		const count = facts.get(`planned ${action}`);
		return count ? [`${count} ${action}`] : [];
	});
	if (!planned.length) return undefined;
	const dossiers = facts.get('planned dossier') ?? 0;
	const created = dossiers ? `; dossiers created: ${dossiers}` : '';
	const reasons = listFirst(listAfter(facts, 'refused: ').map(([reason]) => reason));
	const refusal = reasons.length ? ` A real run would be refused: ${reasons.join('; ')}.` : '';
	const count = (action: PlannedAction) => facts.get(`planned ${action}`) ?? 0;
	// Replacing takes four requests: read the old document, send the file, read the new document, delete the old one.
	const writes = dossiers + count('uploaded') + 4 * count('replaced') + count('deleted');
	const time = forecast(writes);
	const takes = time ? `. It takes about ${describeTime(time)} by the plan of the credential` : '';
	return `Dry run in ${place}, nothing was written.${refusal} The plan: ${planned.join(', ')}${created}${takes}`;
}

/** Counts the records that a run changed, and names the organization; `undefined` if it changed none. */
function describeChanges(facts: ReadonlyMap<RunFact, number>, place: string): string | undefined {
	const counts: Array<[RunFact, string, string]> = [
		['created', 'dossiers created', ' (none had the reference)'],
		['uploaded', 'files uploaded', ''],
		['copied', 'documents copied', ''],
		['moved', 'documents moved', ''],
		['deleted', 'records deleted', ''],
	];
	const listed = counts.flatMap(([fact, what, why]) => {
		const count = facts.get(fact);
		return count ? [`${what}: ${count}${why}`] : [];
	});
	if (!listed.length) return undefined;
	const sentence = `${listed.join(', ')}, in ${place}`;
	return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

/** Sums up a long run in one sentence; `undefined` if it was short. */
function sumUp(facts: ReadonlyMap<RunFact, number>, waited: number, took: number) {
	if (took < LONG_RUN) return undefined;
	const skipped = (facts.get('skipped') ?? 0) + (facts.get('doubled') ?? 0);
	const counts: Array<[number, string]> = [
		[facts.get('uploaded') ?? 0, 'files uploaded'],
		[facts.get('created') ?? 0, 'new dossiers'],
		[skipped, 'files skipped'],
		[facts.get('failed') ?? 0, 'failed'],
	];
	const listed = counts.flatMap(([count, what]) => (count ? [`${count} ${what}`] : []));
	const paused = waited >= NOTABLE_WAIT ? [`${describeTime(waited)} of it waiting`] : [];
	return `The run took ${[describeTime(took), ...paused, ...listed].join(', ')}`;
}

/** The sentences about facts without a number, in the order of the hint. */
const SENTENCES: ReadonlyArray<readonly [RunFact, string]> = [
	[
		'left',
		"The dossier has a skipped file, and another document with the same name. 'Replace' did not delete that one, because nothing shows that it is older. Delete it yourself if nobody needs it.",
	],
	['cut', "There are more records than 'Limit' allows. Turn on 'Return All' to get them all."],
	['unsorted', "The service does not sort this list. Turn on 'Return All' to get it in order."],
	[
		'repeated',
		"Several items have the same document, so its file was downloaded for each of them. If 'Document' is meant to differ, use an expression; if not, turn on 'Execute Once' in the settings.",
	],
	[
		'own word',
		"Nothing was found for a 'Category', 'Priority' or 'Status' that is not in the list. Check that it is written exactly as the service writes it.",
	],
	[
		'without QR code',
		'The invitation was made, but the answer has no QR code that is a PNG or an SVG. If its link is in the output, make a code of it. Do not run this again.',
	],
	[
		'unchecked',
		'The service shows neither the size nor the SHA-256 of a file that was sent, so the node could not check that it arrived. Download the document to see it.',
	],
	[
		'garbled',
		'The service sent letters that are not UTF-8, and names no charset that they are in: they are shown as \uFFFD. A record with such letters is not changed. Tell the support of the service.',
	],
	[
		'unshown',
		"The service does not show every field that was sent, so it may have ignored one. The operation 'Check Contract' shows which fields the service has.",
	],
];

/**
 * The hints that n8n shows above the output: what a run did that its output does not show.
 *
 * @param place the organization and its data: n8n shows nothing of a credential on a node, not even in its subtitle
 * @param waited how long requests waited for the rate limit, in ms
 * @param took how long the run worked, in ms
 * @param forecast how long the rate limit would take for the requests of this run again and this many writes, in ms
 */
export function describeRun(
	facts: ReadonlyMap<RunFact, number>,
	place: string,
	waited = 0,
	took = 0,
	forecast: (writes: number) => number = () => 0,
): NodeExecutionHint[] {
	const tell = (fact: RunFact, sentence: (count: number) => string) => {
		const count = facts.get(fact);
		return count ? sentence(count) : undefined;
	};
	const kept = listAfter(facts, 'kept ').map(
		([field, count]) => `; ${count} of them with another ${field} than in the form, which stays`,
	);
	const unlisted = listAfter(facts, 'unlisted: ').map(
		([word, count]) => `"${word}" for ${count} ${count === 1 ? 'file' : 'files'}`,
	);
	const absent = listAfter(facts, 'absent: ').map(([field]) => field);
	const periods = listAfter(facts, 'period: ').map(([period]) => period);
	const empty = listAfter(facts, 'empty filter: ').map(([label]) => `'${label}'`);
	const messages = [
		sumUp(facts, waited, took),
		tell('failed', (count) => `Failed items: ${count}. Their field error says why`),
		describeChanges(facts, place),
		describePlan(facts, place, forecast),
		waited >= NOTABLE_WAIT &&
			`Waited ${describeTime(waited)} for the rate limit. If your plan allows more, choose it under 'Rate Limit' in the credential. With a lower 'Longest Wait', items fail instead of waiting.`,
		unlisted.length > 0 &&
			`Category not in the list: ${listFirst(unlisted).join(', ')}. Check the spelling. If it is meant, choose 'Your Own…'.`,
		tell(
			'skipped',
			(count) => `Files skipped: ${count}, because the dossier has them already${kept.join('')}`,
		),
		tell(
			'doubled',
			(count) => `Files skipped: ${count}, because the input has them more than once`,
		),
		tell('replaced', (count) => `Files replaced: ${count}, because their content has changed`),
		tell(
			'invited before',
			(count) => `Invitations skipped: ${count}, because the person was invited before`,
		),
		tell(
			'exported',
			() => `Exported from ${place}${periods.length ? `, for ${periods.join(', ')}` : ''}`,
		),
		tell('found nothing', () => `Nothing was found in ${place}`),
		empty.length > 0 &&
			`Filters left empty: ${empty.join(', ')}. They select nothing: records with any value are returned.`,
		tell(
			'dossier read',
			(count) =>
				`Dossiers read: ${count}, with one request or more for each. With 'Dossier Filters', a run takes fewer.`,
		),
		absent.length > 0 &&
			`Selected fields that no record of the list has: ${absent.join(', ')}. The service may show them only if a record is read alone.`,
		...SENTENCES.map(([fact, sentence]) => tell(fact, () => sentence)),
	];
	return messages.flatMap((message) =>
		message ? [{ message, type: 'info', location: 'outputPane' }] : [],
	);
}
