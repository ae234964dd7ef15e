import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { IDataObject, INode } from 'n8n-workflow';
import { inputProblems } from '../problems/input';
import { isProblem, Problem, problems } from '../problems/problem';
import type { FieldProblem, ProblemCode, ProblemFacts, Refusal } from '../problems/problem';
import { toText } from '../api/json';
import { declareFailure } from './failure';
import type { ShownForms } from './labels';
import { protectRecord, protectText } from './tool/result';

/** A problem as n8n and the error output show it. */
interface Explanation {
	/** The service's code, or one of this package. */
	code: string;
	/** HTTP status; `null` if the service did not answer. */
	status: number | null;
	message: string;
	/** What to do; `null` if there is no advice. */
	hint: string | null;
	details: FieldProblem[];
	requestId: string | null;
}

/** The code for all input that cannot be used. */
const INVALID_INPUT = 'INVALID_INPUT';

const isInput = (code: ProblemCode) => code in inputProblems;

function chooseCode(problem: Problem, refusal: Refusal | undefined): string {
	if (isInput(problem.code)) return INVALID_INPUT;
	if (refusal) return refusal.code ?? `HTTP_${refusal.status}`;
	if (isProblem(problem, 'UNEXPECTED')) return 'UNEXPECTED_ERROR';
	const network = isProblem(problem, 'CONNECTION_FAILED') ? problem.facts.networkCode : undefined;
	return network ?? problem.code;
}

const RATE_LIMITED = 429;

/** The most characters of the advice that a model gets beside a message, which may hold words of the service. */
const LONGEST_ADVICE = 8_000;

function readStatus({ code, facts }: Problem): number | null {
	if (code === 'RATE_LIMIT_WAIT_TOO_LONG') return RATE_LIMITED;
	return 'status' in facts ? facts.status : null;
}

function findRefusal(problem: Problem): Refusal | undefined {
	if (isProblem(problem, 'REFUSED')) return problem.facts;
	return 'refusal' in problem.facts ? problem.facts.refusal : undefined;
}

/** Makes the sentences of a problem, with the labels of the form. */
export function describe<Code extends ProblemCode>(
	code: Code,
	facts: ProblemFacts[Code],
	forms: ShownForms,
): { message: string; hint: string | null } {
	const { message, hint, modelHint } = problems[code];
	const advise = forms.isForModel && modelHint ? modelHint : hint;
	return { message: message(facts, forms), hint: advise(facts, forms) };
}

/** Turns any error into a problem. The description of an n8n error becomes the advice. */
function toProblem(error: unknown): Problem {
	if (isProblem(error, 'REFUSED') && error.facts.stranger !== undefined) {
		const { stranger: host, access, status } = error.facts;
		return new Problem('NOT_THE_SERVICE', { host, access, status }, error.part);
	}
	if (isProblem(error)) return error;
	if (!(error instanceof Error)) return new Problem('UNEXPECTED', { reason: String(error) });
	const advice = 'description' in error ? toText(error.description) : undefined;
	return new Problem('UNEXPECTED', { reason: error.message, advice });
}

/** The same error with the part of the item that it concerns, e.g. one of its files. */
export function namePart(error: unknown, part: string): Problem {
	const { code, facts } = toProblem(error);
	return new Problem(code, facts, part);
}

/** Says what happened and what to do, with the labels of the form. */
export function explain(error: unknown, forms: ShownForms): Explanation {
	const problem = toProblem(error);
	const { message, hint } = describe(problem.code, problem.facts, forms);
	const refusal = findRefusal(problem);
	const { part, facts } = problem;
	const isNamed = !part || ('fileName' in facts && facts.fileName === part);
	return {
		code: chooseCode(problem, refusal),
		status: refusal?.status ?? readStatus(problem),
		message: isNamed ? message : `${part}: ${message}`,
		hint,
		details: refusal?.details ?? [],
		requestId: refusal?.requestId ?? null,
	};
}

/** The output of a failed item if the node continues on errors. Every problem has the same shape. */
export function toErrorOutput(error: unknown, forms: ShownForms): { json: { error: IDataObject } } {
	const { requestId, details, ...rest } = explain(error, forms);
	const copied = details.map((detail) => ({ ...detail }));
	const json = { error: { ...rest, details: copied, request_id: requestId } };
	return { json: forms.isForModel ? { error: protectRecord(json.error) } : json };
}

/**
 * Makes the error that n8n shows.
 *
 * @param item the item that failed, and how many items the run has
 */
export function toNodeError(
	node: INode,
	thrown: unknown,
	forms: ShownForms,
	item?: { index: number; total: number },
): NodeApiError | NodeOperationError {
	const problem = toProblem(thrown);
	const { code, status, message: text, hint, requestId } = explain(problem, forms);
	// n8n's editor recognizes this spelling, and does not name the item again.
	const numbered = item && item.total > 1 ? `${text} [item ${item.index}]` : text;
	const advice = [hint, requestId && `(Request ID: ${requestId})`].filter(Boolean).join(' ');
	const description = forms.isForModel ? protectText(advice, LONGEST_ADVICE) : advice;
	// An agent shows its model the message, and the description, too, unless the message contains it.
	const sentences = forms.isForModel ? [protectText(numbered), description] : [numbered];
	const message = sentences.filter(Boolean).join('. ');
	const itemIndex = item?.index;
	const make = () => {
		if (isProblem(problem, 'UNEXPECTED') && !isProblem(thrown) && !forms.isForModel) {
			// Keeps the stack of an unexpected error.
			const cause = thrown instanceof Error ? thrown : String(thrown);
			return new NodeOperationError(node, cause, { itemIndex });
		}
		if (code === INVALID_INPUT)
			return new NodeOperationError(node, message, { description, itemIndex });
		const httpCode = status?.toString();
		return new NodeApiError(node, { message }, { message, description, httpCode, itemIndex });
	};
	return Object.assign(make(), { failure: declareFailure(problem, status) });
}
