import type { IDataObject } from 'n8n-workflow';
import { getPath, isObject, isWithin, setAt } from '../../../dialect/paths';
import type { Path, Value } from '../../../dialect/paths';
import type { Dialect } from '../../../dialect/schema';
import { walk } from '../../../dialect/structure';
import { Translator } from '../../../dialect/translate';
import type { Asker } from './ask';
import { USUAL } from './assumptions';
import type { Fact } from './assumptions';

/** Something that the check has made, or may have made, and has to delete. */
export interface Made {
	kind: 'dossier' | 'document';
	/** A text in it that nothing else holds. */
	mark: string;
	/** Where it is listed: the dossier of a document. */
	within?: string;
	/** Absent as long as no reading has shown it. */
	id?: string;
}

/** A check on its way. */
export interface Check {
	asker: Asker;
	draft: Draft;
	/** Begins every text that the check writes. */
	tag: string;
	/** A new text that no answer holds unless the check wrote it. */
	mark: () => string;
	made: Made[];
	/** The type of a dossier that the service has: it may take only those of a set. */
	type?: string;
}

/** Something that only the service's reference tells. */
export interface Question {
	/** Where its answer stands in the dialect. */
	path: Path;
	/** What the answer is about, if the path does not say it. */
	about: string;
	/** What was seen that may be the answer, e.g. `caseNumber (text)`. */
	seen: string[];
}

/** A copy of an object with a value at a path. */
export function writeAt(target: IDataObject, path: Path, value: Value): IDataObject {
	const copy = { ...target };
	setAt(copy, path, value);
	return copy;
}

/** What a check finds: the dialect of the credential, which grows by what is proven, questions, and notes. */
export class Draft {
	translator: Translator;
	private readonly asked = new Map<string, Question>();
	private readonly seen = new Map<string, Fact>();
	/** What the service refused, or failed at, although nothing in the dialect is open that could change it. */
	readonly refused: string[] = [];

	constructor(private readonly given: Dialect) {
		this.translator = new Translator(given);
	}

	/** Whether the dialect is not the one of the credential any more. */
	get isChanged(): boolean {
		return JSON.stringify(this.dialect) !== JSON.stringify(this.given);
	}

	get dialect(): Dialect {
		return this.translator.dialect;
	}

	/** @param isGiven whether the dialect has an answer already, which was not seen to be true */
	listQuestions(isGiven: boolean): Question[] {
		return [...this.asked.values()].filter(
			({ path }) => (this.read(path) !== undefined) === isGiven,
		);
	}

	/** What was given, and is another in the dialect now, because an answer showed that. */
	listCorrected(): Question[] {
		return [...walk(this.given, Infinity)].flatMap(([given, path]) => {
			const now = this.read(path);
			const isKept = isObject(given) || now === given || this.asked.has(path.join('.'));
			const about = `${JSON.stringify(given)} was given`;
			return isKept
				? []
				: [{ path, about, seen: [now === undefined ? 'none' : JSON.stringify(now)] }];
		});
	}

	/** What the dialect has at a path. */
	read(path: Path): Value {
		return path.reduce<Value>((at, name) => getPath(at, name), this.dialect);
	}

	/** Notes a name, a status or a number of an answer, never the content of a record. */
	see(fact: string, value: Fact): void {
		this.seen.set(fact, value);
	}

	/** Writes a part that was proven, unless docs/contract.md assumes it. */
	prove(path: Path, value: Fact): void {
		const part = path.join('.');
		this.see(part, value);
		this.settle(path);
		const isUsual = USUAL.some(([, one, usual]) => one === part && usual === value);
		if (!isUsual || this.read(path) !== undefined) this.write(path, value);
	}

	/** Writes a part that the rest of the check needs, and that is not proven yet. */
	write(path: Path, value: Fact): void {
		if (this.read(path) !== value)
			this.translator = new Translator(writeAt(this.dialect, path, value));
	}

	/** Drops a question about what was then seen to be true: a record before it may have been without the field. */
	settle(path: Path): void {
		this.asked.delete(path.join('.'));
	}

	/** Asks for something, unless the dialect says that the service does not have it. */
	ask(path: Path, about: string, seen: string[] = []): void {
		if (this.read(path) !== null) this.asked.set(path.join('.'), { path, about, seen });
	}

	/** Asks for what was given, unless an answer has shown it. */
	doubt(path: Path, about: string): void {
		if (this.read(path) !== undefined && !this.seen.has(path.join('.'))) this.ask(path, about);
	}

	/** Asks for whichever of two parts that contradict each other was not proven. */
	askForOne(path: Path, other: Path, about: string): void {
		const wrong = this.seen.has(other.join('.')) ? path : other;
		this.write(wrong, undefined);
		this.ask(wrong, about);
	}

	/** One difference makes an assumption differ, and it holds only if all of it was seen and is usual. */
	judge(assumption: string): { verdict: 'holds' | 'differs' | 'unknown'; seen: string } {
		const usual = new Map(USUAL.flatMap(([one, ...fact]) => (one === assumption ? [fact] : [])));
		const facts = [...usual.keys()];
		const own = [...this.seen].filter(([fact]) => facts.some((one) => isWithin(fact, one)));
		const differing = own.filter(([fact, value]) => value !== usual.get(fact));
		const seen = (differing.length ? differing : own)
			.map(([fact, value]) => `${fact}: ${value ?? 'none'}`)
			.join('; ');
		if (differing.length) return { verdict: 'differs', seen };
		const isWhole = facts.length > 0 && facts.every((fact) => this.seen.has(fact));
		return { verdict: isWhole ? 'holds' : 'unknown', seen };
	}
}
