import type { IDataObject } from 'n8n-workflow';
import { QUESTION } from '../../../dialect/check';
import { ASSUMPTIONS } from './assumptions';
import type { Checked } from './check';
import { writeAt } from './draft';
import type { AssumptionVerdict } from './draft';

const DOCUMENTS = 'https://github.com/n8n-nodes-dossier/n8n-nodes-dossier/blob/main/docs';

interface Finding extends IDataObject {
	assumption: string;
	title: string;
	verdict: AssumptionVerdict;
	seen: string;
	tells: string;
}

function listFindings({ draft }: Checked): Finding[] {
	return ASSUMPTIONS.map(([title, tells], at) => {
		const assumption = `A-${String(at + 1).padStart(2, '0')}`;
		const { verdict, seen } = draft.judge(assumption);
		return { assumption, title, verdict, seen, tells: verdict === 'unknown' ? tells : '' };
	});
}

/** The dialect with a question mark for everything that only the service's reference tells. */
function writeDialect({ draft }: Checked): string {
	let written: IDataObject = draft.dialect;
	for (const { path } of draft.listQuestions(false)) written = writeAt(written, path, QUESTION);
	return JSON.stringify(written, null, 2);
}

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
		return `Answer the ${open === 1 ? 'question' : `${open} questions`} below with the service's reference, paste the dialect into the credential, and check again.`;
	if (draft.refused.length) return 'See what was refused, and check again once it is allowed.';
	if (!isWriting) return 'Check again with *Also Try Writing* and a test key: that proves more.';
	return 'Paste the dialect into the credential. No question is open.';
}

/** The report for people, in Markdown: names, statuses and numbers, no key and no content of a record. */
function writePage(findings: Finding[], checked: Checked): string {
	const { draft, requests } = checked;
	const isOpen = draft.listQuestions(false).length > 0;
	const pick = (verdict: AssumptionVerdict) => findings.filter((one) => one.verdict === verdict);
	const count = (verdict: AssumptionVerdict) => pick(verdict).length;
	const section = (title: string, verdict: AssumptionVerdict, before?: string[]) => {
		const lines = pick(verdict).map(({ assumption, title, seen, tells }) => {
			const known = [seen, tells && `Told by: ${tells}`].filter(Boolean).join('. ');
			return `**${assumption} ${title}**${known && `: ${escapeText(known)}`}`;
		});
		return writeList(`${title} (${lines.length})`, lines, before);
	};
	const ask = (title: string, isGiven: boolean) => {
		const lines = draft.listQuestions(isGiven).map(({ path, about, seen }) => {
			const names = seen.length ? `Seen: ${seen.join(', ')}` : '';
			return `\`${path.join('.')}\`: ${escapeText([about, names].filter(Boolean).join('. '))}`;
		});
		return writeList(title, lines);
	};
	return [
		`**${count('holds')} hold, ${count('differs')} differ, ${count('unknown')} are unknown.** ${writeNext(checked)}`,
		'',
		...ask('Questions', false),
		...ask('Given, but not seen', true),
		...writeList('Refused for a reason that no dialect changes', draft.refused.map(escapeText)),
		'## Dialect',
		'',
		`For the credential, under Compatibility → Dialect.${isOpen ? ` Replace each \`"?"\`, or remove its line if the service has what [the contract](${DOCUMENTS}/contract.md) assumes.` : ''}`,
		'',
		'```json',
		writeDialect(checked),
		'```',
		'',
		...section('Differs', 'differs'),
		...section('Holds', 'holds'),
		...section('Unknown', 'unknown', [
			'The check cannot see these. You need them only if a step does not do what you expect.',
			'',
		]),
		`${requests} requests. [How to read this](${DOCUMENTS}/dialects.md).`,
	].join('\n');
}

/** One item for each assumption, and one with the dialect and the page. */
export function report(checked: Checked): IDataObject[] {
	const findings = listFindings(checked);
	const { draft, requests, left } = checked;
	const open = draft.listQuestions(false);
	const summary = {
		dialect: writeDialect(checked),
		page: writePage(findings, checked),
		questions: open.map(({ path, about, seen }) => ({ path: path.join('.'), about, seen })),
		requests,
		left: left.join(', '),
	};
	return [...findings, summary];
}
