import type { IDataObject } from 'n8n-workflow';
import { getPath, isObject } from '../../../dialect/paths';
import type { Dialect } from '../../../dialect/schema';
import { Translator } from '../../../dialect/translate';

/** How an assumption of docs/contract.md compares with the service. */
export type AssumptionVerdict = 'holds' | 'differs' | 'unknown';

/** Something that only the service's reference tells. */
interface Question {
	/** Where its answer stands in the dialect. */
	path: string[];
	/** What the answer is about, if the path does not say it. */
	about: string;
	/** What was seen that may be the answer, e.g. `caseNumber (text)`. */
	seen: string[];
	isGiven: boolean;
}

/** A copy of an object with a value at a path, whose steps may have dots themselves. */
export function writeAt(
	target: IDataObject,
	[name = '', ...rest]: string[],
	value: IDataObject[string],
): IDataObject {
	const inner = target[name];
	const written = rest.length ? writeAt(isObject(inner) ? inner : {}, rest, value) : value;
	return { ...target, [name]: written };
}

/** What a check finds: the dialect of the credential, which grows by what is proven, questions, and notes. */
export class Draft {
	translator: Translator;
	private readonly asked = new Map<string, Question>();
	private readonly learned = new Set<string>();
	private readonly notes: Array<{ number: string; holds: boolean | undefined; seen: string }> = [];

	constructor(given: Dialect) {
		this.translator = new Translator(given);
	}

	get dialect(): Dialect {
		return this.translator.dialect;
	}

	/** @param isGiven whether the dialect has an answer already, which was not seen to be true */
	listQuestions(isGiven: boolean): Question[] {
		return [...this.asked.values()].filter((one) => one.isGiven === isGiven);
	}

	/** Writes what was proven. */
	learn(path: string[], value: IDataObject[string]): void {
		this.translator = new Translator(writeAt(this.dialect, path, value));
		this.learned.add(path.join(' '));
		this.asked.delete(path.join(' '));
	}

	/** Asks for something, unless the dialect says that the service does not have it. */
	ask(path: string[], about: string, seen: string[] = []): void {
		const given = path.reduce<IDataObject[string]>((at, name) => getPath(at, name), this.dialect);
		if (given === null) return;
		this.asked.set(path.join(' '), { path, about, seen, isGiven: given !== undefined });
	}

	/** Asks for whichever of two parts that contradict each other was not proven. */
	askForOne(path: string[], other: string[], about: string): void {
		const wrong = this.learned.has(other.join(' ')) ? path : other;
		this.asked.set(wrong.join(' '), { path: wrong, about, seen: [], isGiven: false });
	}

	/**
	 * Notes what was seen of an assumption of docs/contract.md.
	 *
	 * @param holds `undefined` if what was seen does not decide it
	 * @param seen names, statuses and numbers of the answers, never the content of a record
	 */
	note(number: string, holds: boolean | undefined, seen: string): void {
		this.notes.push({ number, holds, seen });
	}

	/** One difference makes an assumption differ, and it holds only if all that was seen confirms it. */
	judge(number: string): { verdict: AssumptionVerdict; seen: string } {
		const own = this.notes.filter((one) => one.number === number);
		const differing = own.filter(({ holds }) => holds === false);
		const telling = differing.length ? differing : own;
		const seen = [...new Set(telling.map((one) => one.seen))].join('; ');
		if (differing.length) return { verdict: 'differs', seen };
		const holds = own.length > 0 && own.every((one) => one.holds === true);
		return { verdict: holds ? 'holds' : 'unknown', seen };
	}
}
