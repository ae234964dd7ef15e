import { connectionProblems } from './connection';
import { defineProblem } from './definition';
import type { Definition } from './definition';
import { fileProblems } from './files';
import { uploadProblems } from './uploads';
import { inputProblems } from './input';
import { refusalProblems } from './refusal';
import type { Refusal } from './refusal';
import { serviceProblems } from './service';

export type { Access, Recipient, FormField } from './definition';
export type { DialectProblem } from './input';
export type { FieldProblem, Refusal } from './refusal';

const REPORT =
	'If the message does not say what to change, this may be a fault of the node. Please report it, without keys and data of your clients: ' +
	'https://github.com/n8n-nodes-dossier/n8n-nodes-dossier/issues';

const declared = {
	...refusalProblems,
	...connectionProblems,
	...serviceProblems,
	...fileProblems,
	...uploadProblems,
	...inputProblems,
	/** Any other error. */
	UNEXPECTED: defineProblem<{ reason: string; advice?: string }>({
		message: ({ reason }) => reason,
		hint: ({ advice }) => advice ?? REPORT,
		modelHint: ({ advice }) => advice ?? 'This may be a fault of the tool. Tell the user so.',
		samples: [{ reason: 'Something else' }],
	}),
};

export type ProblemCode = keyof typeof declared;

/** The facts of each problem, by its code. */
export type ProblemFacts = { [Code in ProblemCode]: (typeof declared)[Code]['samples'][number] };

/** Everything that can go wrong, by its code. */
export const problems: { [Code in ProblemCode]: Definition<ProblemFacts[Code]> } = declared;

/** The one error of this package: a code and facts. The edge makes the sentence (execution/explain.ts). */
export class Problem<Code extends ProblemCode = ProblemCode> extends Error {
	readonly code: Code;
	readonly facts: ProblemFacts[Code];
	/** Which part of an item failed, e.g. one of its files. */
	readonly part?: string;

	constructor(code: Code, facts: ProblemFacts[Code], part?: string) {
		super(code);
		this.name = 'Problem';
		this.code = code;
		this.facts = facts;
		this.part = part;
	}
}

/** Whether an error is a problem, with this code if one is given. */
export const isProblem = <Code extends ProblemCode = ProblemCode>(
	error: unknown,
	code?: Code,
): error is Problem<Code> => error instanceof Problem && (!code || error.code === code);

/** The problem that an error is. Throws the error if it is another one, or if the execution was cancelled. */
export function takeProblem(error: unknown): Problem {
	if (!isProblem(error) || isProblem(error, 'CANCELLED')) throw error;
	return error;
}

/** The facts of an error that is a refusal; `undefined` for every other error. */
export const readRefusal = (error: unknown): Refusal | undefined =>
	isProblem(error, 'REFUSED') ? error.facts : undefined;

/** Whether the service refused a call with one of these statuses. */
export const hasStatus = (error: unknown, ...statuses: number[]) =>
	statuses.includes(readRefusal(error)?.status ?? 0);

/** The statuses of a record that is not there, or not any more. */
export const GONE = [404, 410];
