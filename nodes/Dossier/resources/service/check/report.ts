import type { IDataObject } from 'n8n-workflow';
import { QUESTION } from '../../../dialect/check';
import { ASSUMPTIONS, REFERENCE, TRY_WRITING } from './assumptions';
import type { Checked } from './check';
import { writeAt } from './draft';
import type { Question } from './draft';

const DOCUMENTS = 'https://github.com/n8n-nodes-dossier/n8n-nodes-dossier/blob/main/docs';

/** Text of a service, of which Markdown makes nothing else. */
const escapeText = (text: string) =>
	text
		.replace(/\s+/g, ' ')
		.replace(/[\\*_`|[\]]/g, '\\$&')
		.replaceAll('<', '&lt;');

/** A heading and a list, which also a narrow panel can show; nothing if the list is empty. */
const writeList = (heading: string, lines: string[], before: string[] = []): string[] =>
	lines.length ? [`## ${heading}`, '', ...before, ...lines.map((line) => `- ${line}`), ''] : [];

function writeNext({ draft, isWriting, left }: Checked): string {
	if (left.length) return `Delete by hand what is left: ${left.join(', ')}.`;
	const { length: open } = draft.listQuestions(false);
	if (open)
		return `Answer the ${open === 1 ? 'question' : `${open} questions`} below with the service's reference, paste the dialect, and check again.`;
	if (draft.refused.length)
		return 'See what was refused or failed, and check again once that is settled.';
	if (!isWriting) return 'Check again with Also Try Writing and a test key: that proves more.';
	const paste = draft.isChanged ? ['Paste the dialect into the credential.'] : [];
	const isSeen = !draft.listQuestions(true).length;
	const look = isSeen ? [] : ['Look whether what was given, but not seen, is right.'];
	return [...paste, ...look].join(' ') || 'Nothing is left to do.';
}

/** Whether the dialect is right, as far as the check has seen. */
function writeFit({ draft }: Checked): string {
	if (draft.listCorrected().length) return 'Answers contradict what was given: see *Corrected*.';
	if (draft.listQuestions(false).length || draft.refused.length) return '';
	return `${draft.listQuestions(true).length ? 'Otherwise, the' : 'The'} answers fit the dialect.`;
}

/**
 * One item for each assumption, and one with the dialect and the page in Markdown: names, statuses and numbers, no key and no
 * content of a record.
 */
export function report(checked: Checked): IDataObject[] {
	const { draft, requests, left, isWriting } = checked;
	const findings = ASSUMPTIONS.map(([title, usually], at) => {
		const tells = isWriting && usually === TRY_WRITING ? REFERENCE : usually;
		const assumption = `A-${String(at + 1).padStart(2, '0')}`;
		const { verdict, seen } = draft.judge(assumption);
		return { assumption, title, verdict, seen, tells: verdict === 'unknown' ? tells : '' };
	});
	const open = draft.listQuestions(false);
	const asked = open.reduce<IDataObject>(
		(written, { path }) => writeAt(written, path, QUESTION),
		draft.dialect,
	);
	const dialect = JSON.stringify(asked, null, 2);
	const writeFindings = (wanted: string, heading: string, before?: string[]) => {
		const lines = findings
			.filter(({ verdict }) => verdict === wanted)
			.map(({ assumption, title, seen, tells }) => {
				const known = [seen, tells && `Told by: ${tells}`].filter(Boolean).join('. ');
				return `**${assumption} ${title}**${known && `: ${escapeText(known)}`}`;
			});
		return writeList(`${heading} (${lines.length})`, lines, before);
	};
	const writeQuestions = (questions: Question[]) =>
		questions.map(({ path, about, seen }) => {
			const names = seen.length ? `Seen: ${seen.join(', ')}` : '';
			return `\`${path.join('.')}\`: ${escapeText([about, names].filter(Boolean).join('. '))}`;
		});
	const replace = ` Replace each \`"?"\`, or remove its line if the service has what [the contract](${DOCUMENTS}/contract.md) assumes.`;
	const page = [
		`**${writeNext(checked)}** ${writeFit(checked)}`.trim(),
		'',
		...writeList('Questions', writeQuestions(open)),
		...writeList('Corrected', writeQuestions(draft.listCorrected())),
		...writeList('Given, but not seen', writeQuestions(draft.listQuestions(true))),
		...writeList('Refused or failed', draft.refused.map(escapeText)),
		'## Dialect',
		'',
		`For the credential, under Compatibility → Dialect.${open.length ? replace : ''}`,
		'',
		'```json',
		dialect,
		'```',
		'',
		...writeFindings('differs', 'Differs'),
		...writeFindings('holds', 'Holds'),
		...writeFindings('unknown', 'Unknown', [
			'The check cannot see these. You need them only if a step does not do what you expect.',
			'',
		]),
		`${requests} requests. [How to read this](${DOCUMENTS}/dialects.md).`,
	].join('\n');
	const questions = open.map(({ path, about, seen }) => ({ path: path.join('.'), about, seen }));
	return [...findings, { dialect, page, questions, requests, left: left.join(', ') }];
}
