import { randomUUID } from 'crypto';
import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../../../dialect/paths';
import type { Dialect } from '../../../dialect/schema';
import { Translator } from '../../../dialect/translate';
import type { Asker } from './ask';

/** How an assumption of docs/contract.md compares with the service. */
export type AssumptionVerdict = 'holds' | 'differs' | 'unknown';

/** What was seen of each assumption, by its number. */
interface Notes {
	/**
	 * Notes what was seen. One difference makes an assumption differ, and it holds only if all that was seen confirms it.
	 *
	 * @param holds `undefined` if what was seen does not decide it
	 * @param seen names, statuses and numbers of the answers, never the content of a record
	 */
	note(number: string, holds: boolean | undefined, seen: string): void;
	read(number: string): { verdict: AssumptionVerdict; seen: string };
}

export function createNotes(): Notes {
	const notes = new Map<string, Array<{ holds: boolean | undefined; seen: string }>>();
	return {
		note(number, holds, seen) {
			notes.set(number, [...(notes.get(number) ?? []), { holds, seen }]);
		},
		read(number) {
			const own = notes.get(number) ?? [];
			const differing = own.filter(({ holds }) => holds === false);
			const all = (differing.length ? differing : own).map((one) => one.seen);
			const seen = [...new Set(all)].join('; ');
			if (differing.length) return { verdict: 'differs', seen };
			const holds = own.length > 0 && own.every((one) => one.holds === true);
			return { verdict: holds ? 'holds' : 'unknown', seen };
		},
	};
}

/** Something that only the service's reference tells. */
export interface Question {
	/** Where its answer stands in the dialect. */
	path: string[];
	/** What was seen that may be the answer, e.g. `caseNumber (text)`. */
	seen: string[];
	/** What the answer is about, if the path does not say it. */
	about: string;
	/** Whether the dialect has an answer already, which was not seen to be true. */
	isGiven: boolean;
}

/** The dialect of the credential, which grows by what is proven. */
interface Draft {
	readonly dialect: Dialect;
	readonly translator: Translator;
	/** Writes what was proven. */
	learn(path: string[], value: IDataObject[string]): void;
	ask(path: string[], about: string, seen?: string[]): void;
	/** Asks for whichever of two names that contradict each other was not proven. */
	askAgain(paths: string[][], about: string): void;
	readonly questions: Question[];
}

function readAt(value: unknown, [name, ...rest]: string[]): unknown {
	if (name === undefined) return value;
	return isObject(value) ? readAt(value[name], rest) : undefined;
}

/** Writes a value at a path, whose steps may have dots themselves. */
export function writeAt(target: IDataObject, path: string[], value: IDataObject[string]): void {
	const [name = '', ...rest] = path;
	if (!rest.length) {
		target[name] = value;
		return;
	}
	const inner = target[name];
	const copy = isObject(inner) ? { ...inner } : {};
	writeAt(copy, rest, value);
	target[name] = copy;
}

export function startDraft(given: Dialect): Draft {
	const written: IDataObject = { ...given };
	let translator = new Translator(given);
	const questions = new Map<string, Question>();
	const learned = new Set<string>();
	return {
		get dialect() {
			return translator.dialect;
		},
		get translator() {
			return translator;
		},
		learn(path, value) {
			writeAt(written, path, value);
			translator = new Translator(structuredClone(written));
			learned.add(path.join(' '));
			questions.delete(path.join(' '));
		},
		ask(path, about, seen = []) {
			const own = readAt(written, path);
			if (own === null) return;
			questions.set(path.join(' '), { path, about, seen, isGiven: own !== undefined });
		},
		askAgain(paths, about) {
			const path = paths.find((one) => !learned.has(one.join(' '))) ?? paths[0] ?? [];
			questions.set(path.join(' '), { path, about, seen: [], isGiven: false });
		},
		get questions() {
			return [...questions.values()];
		},
	};
}

/** What the check has made, and has to delete. */
interface Made {
	/** Begins every value that is written. */
	readonly tag: string;
	dossiers: string[];
	documents: Array<{ id: string; content: Buffer }>;
	tasks: string[];
}

/** A check on its way. */
export interface Check {
	asker: Asker;
	notes: Notes;
	draft: Draft;
	made: Made;
	/** A text that no answer holds unless it was written under this check. */
	mark: () => string;
}

export function startMaking(): Pick<Check, 'made' | 'mark'> {
	const tag = `check-${randomUUID().slice(0, 8)}`;
	let count = 0;
	return {
		made: { tag, dossiers: [], documents: [], tasks: [] },
		mark: () => `${tag}-${++count}`,
	};
}
