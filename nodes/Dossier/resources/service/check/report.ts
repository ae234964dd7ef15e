import type { IDataObject } from 'n8n-workflow';
import { ASSUMPTIONS } from './assumptions';
import type { Checked } from './check';
import type { Verdict } from './notes';

const CONTRACT =
	'https://github.com/n8n-nodes-dossier/n8n-nodes-dossier/blob/main/docs/contract.md';

interface Finding extends IDataObject {
	assumption: string;
	title: string;
	verdict: Verdict;
	seen: string;
	tells: string;
}

function listFindings({ notes }: Checked): Finding[] {
	return ASSUMPTIONS.map(([title, tells], at) => {
		const assumption = `A-${String(at + 1).padStart(2, '0')}`;
		const { verdict, seen } = notes.read(assumption);
		return { assumption, title, verdict, seen, tells: verdict === 'unknown' ? tells : '' };
	});
}

const escapeCell = (text: string) => text.replace(/\|/g, '\\|');

/** The report for people, in Markdown: names, statuses and numbers, no key and no content of a record. */
function writePage(findings: Finding[], { dialect, requests, left }: Checked): string {
	const table = (title: string, verdict: Verdict) => {
		const rows = findings
			.filter((one) => one.verdict === verdict)
			.map((one) => [one.assumption, one.title, one.seen, one.tells].map(escapeCell).join(' | '));
		if (!rows.length) return [];
		const head = ['No. | Assumption | Seen | What would tell', '---|---|---|---'];
		return [
			`## ${title} (${rows.length})`,
			'',
			...[...head, ...rows].map((row) => `| ${row} |`),
			'',
		];
	};
	const isEmpty = Object.keys(dialect).length === 0;
	return [
		'# How the service compares with what is assumed',
		'',
		`${requests} requests. The numbers are explained in [the contract](${CONTRACT}).`,
		'',
		...(left.length ? [`**Could not be deleted:** ${left.join(', ')}`, ''] : []),
		'## Dialect',
		'',
		isEmpty
			? 'The service needs no dialect, as far as could be seen.'
			: 'Paste this into the credential, under Compatibility → Dialect:',
		'',
		...(isEmpty ? [] : ['```json', JSON.stringify(dialect, null, 2), '```', '']),
		...table('Differs', 'differs'),
		...table('Unknown', 'unknown'),
		...table('Holds', 'holds'),
	].join('\n');
}

/** One item for each assumption, and one with the dialect and the page. */
export function report(checked: Checked): IDataObject[] {
	const findings = listFindings(checked);
	const { dialect, requests, left } = checked;
	const summary = {
		dialect: JSON.stringify(dialect, null, 2),
		page: writePage(findings, checked),
		requests,
		left: left.join(', '),
	};
	return [...findings, summary];
}
