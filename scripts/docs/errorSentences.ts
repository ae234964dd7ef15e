/** The sentences in which the nodes report failures, read out of their source. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** One failure as the nodes tell it. What differs from time to time is an ellipsis. */
export interface ErrorSentence {
	/** Below `nodes/Dossier`. */
	file: string;
	/** Whether what was entered is the reason, or what came of a call. */
	kind: 'input' | 'call';
	/** What happened. */
	message: string;
	/** What to do; absent where it is that of another error. */
	hint?: string;
	code?: string;
}

const VARYING = '…';

/** A source file of the nodes, parsed. */
export interface Source {
	/** Below `nodes/Dossier`. */
	file: string;
	tree: ts.SourceFile;
}

/** Reads every source file of the nodes. */
export function nodeSources(root: string): Source[] {
	const folder = join(root, 'nodes/Dossier');
	return globSync('**/*.ts', { cwd: folder })
		.sort()
		.map((file) => {
			const text = readFileSync(join(folder, file), 'utf8');
			return { file, tree: ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true) };
		});
}

function* nodesBelow(node: ts.Node): Generator<ts.Node> {
	yield node;
	for (const child of node.getChildren()) yield* nodesBelow(child);
}

/** The value of a constant of the same file. */
function constant(tree: ts.SourceFile, name: string): ts.Expression | undefined {
	for (const node of nodesBelow(tree)) {
		if (!ts.isVariableDeclaration(node) || !ts.isIdentifier(node.name)) continue;
		if (node.name.text === name) return node.initializer;
	}
	return undefined;
}

/** The text of an expression; `undefined` where it is not known before the program runs. */
function textOf(tree: ts.SourceFile, node: ts.Expression | undefined): string | undefined {
	if (!node) return undefined;
	if (ts.isStringLiteralLike(node)) return node.text;
	if (ts.isTemplateExpression(node)) {
		const parts = node.templateSpans.map(({ expression, literal }) => {
			const fixed = ts.isIdentifier(expression) ? textOf(tree, expression) : undefined;
			return (fixed ?? VARYING) + literal.text;
		});
		const text = node.head.text + parts.join('');
		return text.replaceAll(VARYING, '') ? text : undefined;
	}
	if (ts.isIdentifier(node)) return textOf(tree, constant(tree, node.text));
	if (!ts.isConditionalExpression(node)) return undefined;
	const both = [textOf(tree, node.whenTrue), textOf(tree, node.whenFalse)];
	return both.filter((one) => one !== undefined).join(' *Or:* ') || undefined;
}

function member(node: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
	for (const property of node.properties) {
		if (property.name?.getText() !== name) continue;
		if (ts.isPropertyAssignment(property)) return property.initializer;
		if (ts.isShorthandPropertyAssignment(property)) return property.name;
	}
	return undefined;
}

function sentenceOf({ file, tree }: Source, node: ts.Node): ErrorSentence | undefined {
	const text = (expression: ts.Expression | undefined) => textOf(tree, expression);
	const told = (kind: ErrorSentence['kind'], message?: string, hint?: string, code?: string) =>
		message ? { file, kind, message, hint, code } : undefined;
	if (ts.isCallExpression(node) && node.expression.getText() === 'wrong') {
		const [message, hint] = node.arguments;
		return told('call', text(message), text(hint));
	}
	if (!ts.isNewExpression(node)) return undefined;
	const [first, second, third] = node.arguments ?? [];
	switch (node.expression.getText()) {
		case 'InputError':
			return told('input', text(first), text(second));
		case 'NodeOperationError': {
			const about = third && ts.isObjectLiteralExpression(third) ? third : undefined;
			return told('input', text(second), about && text(member(about, 'description')));
		}
		case 'ServiceError': {
			if (!first || !ts.isObjectLiteralExpression(first)) return undefined;
			const [message, hint, code] = ['message', 'hint', 'code'].map((name) =>
				text(member(first, name)),
			);
			return told('call', message, hint, code);
		}
		default:
			return undefined;
	}
}

/** Every failure that the nodes tell in words of their own, each once. What they tell in others' words is not among them. */
export function errorSentences(sources: Source[]): ErrorSentence[] {
	const all = sources.flatMap((source) =>
		[...nodesBelow(source.tree)].flatMap((node) => sentenceOf(source, node) ?? []),
	);
	const once = new Map(all.map((one) => [JSON.stringify([one.message, one.hint]), one]));
	return [...once.values()];
}

/** The entries of a table of texts, such as hints by status: a constant of one file. */
export function textsIn(sources: Source[], file: string, name: string): Map<string, string> {
	const source = sources.find((one) => one.file === file);
	const table = source && constant(source.tree, name);
	if (!source || !table || !ts.isObjectLiteralExpression(table)) {
		throw new Error(`nodes/Dossier/${file} has no table ${name}.`);
	}
	return new Map(
		table.properties.flatMap((property) => {
			const text = ts.isPropertyAssignment(property) && textOf(source.tree, property.initializer);
			return property.name && text ? [[property.name.getText(), text] as const] : [];
		}),
	);
}

/** The texts that a function is called with first: the reasons for which a delivery is refused, say. */
export function firstArguments(sources: Source[], file: string, name: string): string[] {
	const source = sources.find((one) => one.file === file);
	if (!source) throw new Error(`There is no file nodes/Dossier/${file}.`);
	return [...nodesBelow(source.tree)].flatMap((node) => {
		if (!ts.isCallExpression(node) || node.expression.getText() !== name) return [];
		return textOf(source.tree, node.arguments[0]) ?? [];
	});
}

/** Every text of the nodes that is written as an error code is, but for those of Node's own errors. */
export function codesOf(sources: Source[]): string[] {
	const codes = sources.flatMap(({ tree }) =>
		[...nodesBelow(tree)].flatMap((node) => {
			const isCode = ts.isStringLiteral(node) && /^(?!ERR_)[A-Z]+(_[A-Z]+)+$/.test(node.text);
			return isCode ? [node.text] : [];
		}),
	);
	return [...new Set(codes)];
}
