/** The tables of docs/errors.md, made from the catalogue of problems and from the contract. */
import type { INodeProperties } from 'n8n-workflow';
import type * as explain from '../../nodes/Dossier/execution/explain';
import type * as labels from '../../nodes/Dossier/execution/labels';
import type * as connection from '../../nodes/Dossier/problems/connection';
import type * as input from '../../nodes/Dossier/problems/input';
import type * as problem from '../../nodes/Dossier/problems/problem';
import type * as refusal from '../../nodes/Dossier/problems/refusal';

/** An error code of the service, as the contract has it. */
export interface ServiceCode {
	const: string;
	description: string;
	'x-statuses': number[];
}

/** The problems of the nodes, and what makes sentences of them. */
export type Catalogue = Pick<typeof explain, 'describe'> &
	Pick<typeof labels, 'collectForms'> &
	Pick<typeof connection, 'CONNECTION_SENTENCES'> &
	Pick<typeof input, 'inputProblems'> &
	Pick<typeof problem, 'problems'> &
	Pick<typeof refusal, 'STATUS_HINTS' | 'TOKEN_HINTS' | 'CODE_HINTS'>;

/** The catalogue, and the forms whose labels its sentences use. */
type Problems = Catalogue & { forms: labels.ShownForms };

/** The sentences of each problem, for its samples. */
export function problemSamples({
	problems,
	describe,
	forms,
}: Pick<Problems, 'problems' | 'describe' | 'forms'>) {
	const isCode = (code: string): code is problem.ProblemCode => code in problems;
	const tell = <Code extends problem.ProblemCode>(code: Code) =>
		problems[code].samples.map((facts) => ({ code, ...describe(code, facts, forms) }));
	return Object.keys(problems)
		.filter(isCode)
		.flatMap((code) => tell(code));
}

const table = (head: string[], rows: string[][]) =>
	[head, head.map(() => '---'), ...rows]
		.map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
		.join('\n');

function statusTable({ STATUS_HINTS, TOKEN_HINTS, forms }: Problems): string {
	const rows = Object.entries(STATUS_HINTS).map(([status, hint]) => {
		const token = TOKEN_HINTS[Number(status)];
		const cell = hint(forms);
		return [status, token ? `${cell}<br>With a token: ${token(forms)}` : cell];
	});
	return table(['Status', 'What to do'], rows);
}

function codeTable({ CODE_HINTS, STATUS_HINTS, forms }: Problems, codes: ServiceCode[]): string {
	const rows = codes.map(({ const: code, description, 'x-statuses': statuses }) => {
		const explained = statuses.filter((status) => status in STATUS_HINTS);
		const general = explained.length
			? `As for status ${explained.join(' or ')}, above.`
			: 'As from 500 on, above.';
		return [`\`${code}\``, statuses.join(', '), description, CODE_HINTS[code]?.(forms) ?? general];
	});
	return table(['Code', 'Status', 'What happened', 'What to do'], rows);
}

function connectionTable({ CONNECTION_SENTENCES }: Problems): string {
	const codes = new Map<string, string[]>();
	for (const [code, describe] of Object.entries(CONNECTION_SENTENCES)) {
		const sentence = describe('…');
		codes.set(sentence, [...(codes.get(sentence) ?? []), `\`${code}\``]);
	}
	return table(
		['What n8n shows', 'Code'],
		[...codes].map(([sentence, names]) => [sentence, names.join(', ')]),
	);
}

/** Problems that have separate tables. */
const APART = ['REFUSED', 'CONNECTION_FAILED', 'UNEXPECTED'];

function sentenceRows(problems: Problems, wanted: (code: string) => boolean) {
	return problemSamples(problems)
		.filter(({ code }) => wanted(code) && !APART.includes(code))
		.map(({ code, message, hint }) => ({ code, cells: [message, hint ?? ''] }));
}

function inputTable(problems: Problems): string {
	const rows = sentenceRows(problems, (code) => code in problems.inputProblems);
	return table(
		['What n8n shows', 'What to do'],
		rows.map(({ cells }) => cells),
	);
}

/** Problems that are shown with the code of the refusal behind them. */
const WITH_REFUSAL = ['NO_REGISTRATION_ENDPOINT', 'AUTHORIZATION_FAILED'];

function callTable(problems: Problems): string {
	const rows = sentenceRows(problems, (code) => !(code in problems.inputProblems));
	return table(
		['What n8n shows', 'What to do', 'Code'],
		rows.map(({ code, cells }) => [...cells, WITH_REFUSAL.includes(code) ? '' : `\`${code}\``]),
	);
}

/**
 * The page with new tables between the marks `<!-- name -->` and `<!-- /name -->`.
 *
 * @param fields of both nodes, whose labels the sentences use
 */
export function errorsPage(
	page: string,
	catalogue: Catalogue,
	fields: INodeProperties[],
	codes: ServiceCode[],
): string {
	const problems = { ...catalogue, forms: catalogue.collectForms(fields) };
	const tables = {
		statuses: statusTable(problems),
		codes: codeTable(problems, codes),
		connections: connectionTable(problems),
		input: inputTable(problems),
		calls: callTable(problems),
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
