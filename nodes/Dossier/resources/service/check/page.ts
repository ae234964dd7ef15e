import type { Checked } from './check';
import type { Finding } from './finding';
import type { Part } from './given';

const DOCUMENTS = 'https://github.com/n8n-nodes-dossier/n8n-nodes-dossier/blob/main/docs';

/** Words of a service, as Markdown shows them unchanged. */
const quote = (text: string) => `\`${text.replace(/\s+/g, ' ').replaceAll('`', "'")}\``;

const RESULTS: Record<Finding['result'], string> = {
	refused: 'Refused',
	'no answer': 'Not answered',
	differs: 'Not all is as expected',
	understood: 'Understood',
};

/** The whole text of a refusal, in a fence that is longer than any in the text. */
function writeRefusal(text: string): string[] {
	const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
	const fence = '`'.repeat(longest + 1);
	return ['', fence, text, fence];
}

const writeFields = (fields: Array<{ name: string; type: string }>) =>
	fields.map(({ name, type }) => `${quote(name)} (${type})`).join(', ');

function writeFinding(finding: Finding): string[] {
	const { what, result, expected, exchanges, found, missing, unknown, problems } = finding;
	const known = found.map(({ field, name, type }) =>
		field === name ? `${quote(name)} (${type})` : `${quote(field)} as ${quote(name)} (${type})`,
	);
	const lines = [
		['Fields of the contract, found', known.join(', ')],
		['Fields of the contract, not found', missing.map(quote).join(', ')],
		['Fields that this package does not know', writeFields(unknown)],
		['Problem', problems.join('. ')],
	];
	const steps = exchanges.flatMap(({ asked, answer, beside, refusal }, at) => {
		const shown = writeFields(beside);
		const isNew = shown && shown !== writeFields(exchanges[at - 1]?.beside ?? []);
		const more = isNew ? `, with ${shown}` : '';
		const text = refusal ? writeRefusal(refusal) : [];
		return [`${at + 1}. ${quote(asked)} → ${answer}${more}`, ...text];
	});
	return [
		`### ${what}: ${RESULTS[result]}`,
		'',
		`Expected: ${expected}.`,
		'',
		...steps,
		'',
		...lines.filter(([, text]) => text).map(([label, text]) => `- ${label}: ${text}`),
		'',
	];
}

const VERDICTS: Record<Part['verdict'], string> = {
	contradicted: 'Contradicted: the answers have something else',
	'not seen': 'Not seen: no answer shows it',
	seen: 'Seen: the answers are as the dialect says',
};

/** The parts of the dialect by their verdicts. */
function writeParts(parts: Part[]): string[] {
	if (!parts.length) return ['The credential has no dialect.', ''];
	return (Object.keys(VERDICTS) as Array<Part['verdict']>).flatMap((verdict) => {
		const lines = parts
			.filter((one) => one.verdict === verdict)
			.map(({ part, given, instead }) => {
				const shown = instead && `, but the answers have ${quote(instead)}`;
				return `- ${quote(part)} is given as ${quote(given)}${shown}`;
			});
		return lines.length ? [`**${VERDICTS[verdict]}**`, '', ...lines, ''] : [];
	});
}

/** What to do next, in one or two sentences. */
function writeNext({ left, recorder: { stopped }, parts, findings, isWriting }: Checked): string {
	if (left.length) return `Delete by hand what is left: ${left.join(', ')}.`;
	if (stopped) return `The check ended early, because ${stopped}. Run it again.`;
	if (parts.some(({ verdict }) => verdict === 'contradicted'))
		return 'Correct the parts of the dialect that are contradicted, and check again.';
	if (findings.some(({ result }) => result !== 'understood'))
		return "Compare what differs or was refused with the service's reference. Write the difference into the dialect if a workflow needs it.";
	if (!isWriting)
		return 'Everything that was read is as the contract expects. To see more, turn on Also Try Writing, with a test key.';
	return 'Everything is as the contract expects. Nothing is left to do.';
}

/** The report as a page in Markdown. */
export function writePage(checked: Checked): string {
	const { findings, parts, recorder, isWriting } = checked;
	const { requests, limit } = recorder;
	const results = (Object.keys(RESULTS) as Array<Finding['result']>).flatMap((result) => {
		const names = findings.filter((one) => one.result === result).map(({ what }) => what);
		return names.length ? [`- ${RESULTS[result]}: ${names.join('; ')}`] : [];
	});
	return [
		`**${writeNext(checked)}**`,
		'',
		`The check sent ${requests} requests and ${isWriting ? 'removed what it had made' : 'only read'}. The contract is what this package assumes about the service: the numbers, such as A-14, are explained in [the contract](${DOCUMENTS}/contract.md), the parts of a dialect in [dialects](${DOCUMENTS}/dialects.md).`,
		'',
		'## Results',
		'',
		...results,
		'',
		'## Dialect',
		'',
		...writeParts(parts),
		'## Rate limit',
		'',
		limit
			? `Headers of the last answer: ${quote(limit)}`
			: 'No answer has a header about the rate limit.',
		'',
		'## Answers',
		'',
		...findings.flatMap(writeFinding),
	].join('\n');
}
