/** The tables of docs/errors.md, made from the problems of the nodes and from the contract. */
import type { INodeProperties } from 'n8n-workflow';
import { describe } from '../../nodes/Dossier/execution/explain';
import { collectForms } from '../../nodes/Dossier/execution/labels';
import type { ShownForms } from '../../nodes/Dossier/execution/labels';
import { CONNECTION_SENTENCES } from '../../nodes/Dossier/problems/connection';
import { inputProblems } from '../../nodes/Dossier/problems/input';
import { problems } from '../../nodes/Dossier/problems/problem';
import type { ProblemCode } from '../../nodes/Dossier/problems/problem';
import { CODE_HINTS, STATUS_HINTS, TOKEN_HINTS } from '../../nodes/Dossier/problems/statusHints';
import { formatTable } from './fields.mts';

/** An error code of the service, as the contract has it. */
export interface ServiceCode {
	const: string;
	description: string;
	'x-statuses': number[];
}

/** The sentences of each problem, for its samples. */
export function problemSamples(forms: ShownForms) {
	const isCode = (code: string): code is ProblemCode => code in problems;
	const describeSamples = <Code extends ProblemCode>(code: Code) =>
		problems[code].samples.map((facts) => ({ code, ...describe(code, facts, forms) }));
	return Object.keys(problems)
		.filter(isCode)
		.flatMap((code) => describeSamples(code));
}

function statusTable(forms: ShownForms): string {
	const rows = Object.entries(STATUS_HINTS).map(([status, hint]) => {
		const token = TOKEN_HINTS[Number(status)];
		const cell = hint(forms);
		return [status, token ? `${cell}<br>With a token: ${token(forms)}` : cell];
	});
	return formatTable(['Status', 'What to do'], rows);
}

/** The codes with advice of their own in a table, and the others by name. */
function codeTable(forms: ShownForms, codes: ServiceCode[]): string {
	const rows: string[][] = [];
	const others: string[] = [];
	for (const { const: code, description, 'x-statuses': statuses } of codes) {
		const advice = CODE_HINTS.get(code)?.(forms);
		if (advice) rows.push([`\`${code}\``, statuses.join(', '), description, advice]);
		else others.push(`\`${code}\` (${statuses.join(', ')})`);
	}
	return (
		`${formatTable(['Code', 'Status', 'What happened', 'What to do'], rows)}\n\n` +
		`What to do about the others depends on their status alone: ${others.join(', ')}.`
	);
}

function connectionTable(): string {
	const codes = new Map<string, string[]>();
	for (const [code, write] of Object.entries(CONNECTION_SENTENCES)) {
		const sentence = write('…');
		codes.set(sentence, [...(codes.get(sentence) ?? []), `\`${code}\``]);
	}
	return formatTable(
		['What n8n shows', 'Code'],
		[...codes].map(([sentence, names]) => [sentence, names.join(', ')]),
	);
}

/** Problems that other tables show. */
const IN_OTHER_TABLES = ['REFUSED', 'CONNECTION_FAILED', 'UNEXPECTED'];

function sentenceRows(forms: ShownForms, wanted: (code: string) => boolean) {
	return problemSamples(forms)
		.filter(({ code }) => wanted(code) && !IN_OTHER_TABLES.includes(code))
		.map(({ code, message, hint }) => ({ code, cells: [message, hint ?? ''] }));
}

function inputTable(forms: ShownForms): string {
	const rows = sentenceRows(forms, (code) => code in inputProblems);
	return formatTable(
		['What n8n shows', 'What to do'],
		rows.map(({ cells }) => cells),
	);
}

/** Problems that are shown with the code of the refusal behind them. */
const WITH_REFUSAL = [
	'AUTHORIZATION_FAILED',
	'EXISTING_UNREADABLE',
	'NO_REGISTRATION_ENDPOINT',
	'NOTHING_AT_ID',
	'NOTHING_NAMED_SO',
];

function callTable(forms: ShownForms): string {
	const rows = sentenceRows(forms, (code) => !(code in inputProblems));
	return formatTable(
		['What n8n shows', 'What to do', 'Code'],
		rows.map(({ code, cells }) => [...cells, WITH_REFUSAL.includes(code) ? '' : `\`${code}\``]),
	);
}

/**
 * The page with new tables between the marks `<!-- name -->` and `<!-- /name -->`.
 *
 * @param fields of both nodes, whose labels the sentences use
 */
export function errorsPage(page: string, fields: INodeProperties[], codes: ServiceCode[]): string {
	const forms = collectForms(fields);
	const tables = {
		statuses: statusTable(forms),
		codes: codeTable(forms, codes),
		connections: connectionTable(),
		input: inputTable(forms),
		calls: callTable(forms),
	};
	return Object.entries(tables).reduce((text, [name, content]) => {
		const begin = `<!-- ${name} -->`;
		const end = `<!-- /${name} -->`;
		const [before, rest] = text.split(begin);
		const after = rest?.split(end)[1];
		if (after === undefined) {
			throw new Error(`docs/errors.md lacks the marks ${begin} and ${end}.`);
		}
		return `${before}${begin}\n\n${content}\n\n${end}${after}`;
	}, page);
}
