/** The tables of docs/errors.md, made from the source of the nodes and from the contract. */
import { errorSentences, textsIn } from './errorSentences.ts';
import type { ErrorSentence, Source } from './errorSentences.ts';

/** An error code of the service, as the contract has it. */
export interface ServiceCode {
	const: string;
	description: string;
	'x-statuses': number[];
}

const table = (head: string[], rows: string[][]) =>
	[head, head.map(() => '---'), ...rows]
		.map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
		.join('\n');

const ERRORS = 'api/errors.ts';

function statusTable(sources: Source[]): string {
	const hints = textsIn(sources, ERRORS, 'HINTS');
	const tokenHints = textsIn(sources, ERRORS, 'TOKEN_HINTS');
	const rows = [...hints].map(([status, hint]) => {
		const token = tokenHints.get(status);
		return [status, token ? `${hint}<br>With a token: ${token}` : hint];
	});
	return table(['Status', 'What to do'], rows);
}

function codeTable(sources: Source[], codes: ServiceCode[]): string {
	const own = textsIn(sources, ERRORS, 'CODE_HINTS');
	const hints = textsIn(sources, ERRORS, 'HINTS');
	const rows = codes.map(({ const: code, description, 'x-statuses': statuses }) => {
		const explained = statuses.filter((status) => hints.has(String(status)));
		const general = explained.length
			? `As for status ${explained.join(' or ')}, above.`
			: 'As from 500 on, above.';
		const hint = own.get(code) ?? general;
		return [`\`${code}\``, statuses.join(', '), description, hint];
	});
	return table(['Code', 'Status', 'What happened', 'What to do'], rows);
}

function connectionTable(sources: Source[]): string {
	const codes = new Map<string, string[]>();
	for (const [code, text] of textsIn(sources, ERRORS, 'CONNECTION_SENTENCES')) {
		const sentence = text.replace('{host}', '…');
		codes.set(sentence, [...(codes.get(sentence) ?? []), `\`${code}\``]);
	}
	return table(
		['What n8n shows', 'Code'],
		[...codes].map(([sentence, names]) => [sentence, names.join(', ')]),
	);
}

function sentenceTable(sentences: ErrorSentence[]): string {
	const rows = sentences.map(({ message, hint, code }) => {
		return [
			message,
			hint ?? '(as its status, or the error behind it, says)',
			code ? `\`${code}\`` : '',
		];
	});
	const withCodes = rows.some(([, , code]) => code);
	const head = ['What n8n shows', 'What to do', ...(withCodes ? ['Code'] : [])];
	return table(
		head,
		rows.map((row) => row.slice(0, head.length)),
	);
}

/** The page with its tables put between the marks `<!-- name -->` and `<!-- /name -->`, whatever stood there. */
export function errorsPage(page: string, sources: Source[], codes: ServiceCode[]): string {
	const sentences = errorSentences(sources);
	const tables = {
		statuses: statusTable(sources),
		codes: codeTable(sources, codes),
		connections: connectionTable(sources),
		input: sentenceTable(sentences.filter(({ kind }) => kind === 'input')),
		calls: sentenceTable(sentences.filter(({ kind }) => kind === 'call')),
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
