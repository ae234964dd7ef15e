import type { Checked } from './check';
import type { Finding } from './finding';

const DOCS = 'https://github.com/n8n-nodes-dossier/n8n-nodes-dossier/blob/main/docs';

/** A text of the service as code, so that Markdown shows it unchanged. */
const quoteCode = (text: string) => `\`${text.replace(/\s+/g, ' ').replaceAll('`', "'")}\``;

const RESULTS: Record<Finding['result'], string> = {
	refused: 'Refused',
	'no answer': 'Not answered',
	differs: 'Not all is as expected',
	understood: 'Understood',
};

/** The whole text of a refusal, in a fence that is longer than any in the text. */
function fenceRefusal(text: string): string[] {
	const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
	const fence = '`'.repeat(longest + 1);
	return ['', fence, text, fence];
}

const writeFields = (fields: Array<{ name: string; type: string }>) =>
	fields.map(({ name, type }) => `${quoteCode(name)} (${type})`).join(', ');

function writeFinding(finding: Finding): string[] {
	const { what, result, expected, exchanges, found, missing, unknown, problems } = finding;
	const known = found.map(({ field, name, type }) =>
		field === name
			? `${quoteCode(name)} (${type})`
			: `${quoteCode(field)} as ${quoteCode(name)} (${type})`,
	);
	const lines = [
		['Fields of the contract, found', known.join(', ')],
		['Fields of the contract, not found', missing.map(quoteCode).join(', ')],
		['Fields that this package does not know', writeFields(unknown)],
		['Problem', problems.join('. ')],
	];
	const steps = exchanges.flatMap(({ asked, answer, beside, refusal }, at) => {
		const shown = writeFields(beside);
		const isNew = shown && shown !== writeFields(exchanges[at - 1]?.beside ?? []);
		const more = isNew ? `, with ${shown}` : '';
		const text = refusal ? fenceRefusal(refusal) : [];
		return [`${at + 1}. ${quoteCode(asked)} → ${answer}${more}`, ...text];
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

/** The report as a page in Markdown. */
export function writePage({ parts, recorder, left, isWriting }: Checked): string {
	const { findings, requests, limit, isStopped } = recorder;
	const removed = left.length
		? `could not remove what it had made. **Delete by hand what is left: ${left.join(', ')}**`
		: 'removed what it had made';
	const verdicts = parts.map(
		({ part, verdict, reason }) =>
			`- ${quoteCode(part)}: ${verdict}${reason ? `, because ${reason}` : ''}`,
	);
	return [
		`The check sent ${requests} requests and ${isWriting ? removed : 'only read'}.${isStopped ? ' It needed more than it may send, and ended early.' : ''} The contract is what this package assumes about the service: the numbers, such as A-14, are explained in [the contract](${DOCS}/contract.md), the parts of a dialect in [dialects](${DOCS}/dialects.md).`,
		'',
		'Not checked: *Update*, the trigger and its signature, invitations, new tasks and filters.',
		'',
		'## Dialect',
		'',
		...(parts.length ? verdicts : ['The credential has no dialect.']),
		'',
		'## Rate limit',
		'',
		limit
			? `Headers of the last answer: ${quoteCode(limit)}`
			: 'No answer has a header about the rate limit.',
		'',
		'## Answers',
		'',
		...findings.flatMap(writeFinding),
	].join('\n');
}
