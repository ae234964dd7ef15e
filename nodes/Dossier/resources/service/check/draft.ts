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
	/** Whether the dialect has an answer already, which was not seen to be true. */
	isGiven: boolean;
}

/** The parts of a dialect that together are an assumption, with what docs/contract.md assumes. */
const ASSUMED: Record<string, readonly [number: string, usual: IDataObject[string]]> = {
	naming: ['A-03', 'snake_case'],
	times: ['A-03', 'iso'],
	'upload.format': ['A-11', undefined],
	'download.answer': ['A-12', 'bytes'],
	'record.envelope': ['A-13', undefined],
	'record.attributes': ['A-13', undefined],
	'list.envelope': ['A-14', 'data'],
	'list.style': ['A-14', 'page'],
	'list.page': ['A-14', 'page'],
	'list.firstPage': ['A-14', 1],
	'list.size': ['A-14', 'per_page'],
	'list.total': ['A-14', 'pagination.total'],
	'errors.details': ['A-18', 'error.details'],
	'errors.field': ['A-18', 'field'],
	'errors.message': ['A-18', 'message'],
	'errors.code': ['A-18', 'code'],
};

/** The assumptions about the names of fields, which no check sees whole. */
const NAMES: Record<string, string> = {
	dossier: 'A-04',
	document: 'A-06',
	portalUser: 'A-08',
	task: 'A-09',
	auditEntry: 'A-10',
};

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
	private readonly proven = new Set<string>();
	private readonly notes: Array<{ number?: string; isUsual: boolean; seen: string }> = [];

	constructor(given: Dialect) {
		this.translator = new Translator(given);
	}

	get dialect(): Dialect {
		return this.translator.dialect;
	}

	listQuestions(isGiven: boolean): Question[] {
		return [...this.asked.values()].filter((one) => one.isGiven === isGiven);
	}

	private read(path: string[]) {
		return path.reduce<IDataObject[string]>((at, name) => getPath(at, name), this.dialect);
	}

	/**
	 * Writes what was proven, unless the contract assumes it.
	 *
	 * @param value `undefined` if it was proven that the service has no such thing
	 */
	prove(path: string[], value: string | number | boolean | undefined): void {
		const part = path.join('.');
		const [number = NAMES[path[0] ?? ''], usual] = ASSUMED[part] ?? [];
		const isUsual = part in ASSUMED && value === usual;
		this.note(number, isUsual, `${part} is ${value ?? 'not there'}`);
		this.proven.add(part);
		this.asked.delete(part);
		if (!isUsual || this.read(path) !== undefined)
			this.translator = new Translator(writeAt(this.dialect, path, value));
	}

	/** Asks for something, unless the dialect says that the service does not have it. */
	ask(path: string[], about: string, seen: string[] = []): void {
		const given = this.read(path);
		if (given === null) return;
		this.asked.set(path.join('.'), { path, about, seen, isGiven: given !== undefined });
	}

	/** Asks for whichever of two parts that contradict each other was not proven. */
	askForOne(path: string[], other: string[], about: string): void {
		const wrong = this.proven.has(other.join('.')) ? path : other;
		this.asked.set(wrong.join('.'), { path: wrong, about, seen: [], isGiven: false });
	}

	/** Notes a name, a status or a number that was seen, never the content of a record. */
	note(number: string | undefined, isUsual: boolean, seen: string): void {
		this.notes.push({ number, isUsual, seen });
	}

	/** One difference makes an assumption differ, and it holds only if each part of it was seen to be usual. */
	judge(number: string): { verdict: AssumptionVerdict; seen: string } {
		const own = this.notes.filter((one) => one.number === number);
		const differing = own.filter(({ isUsual }) => !isUsual);
		const telling = differing.length ? differing : own;
		const seen = [...new Set(telling.map((one) => one.seen))].join('; ');
		if (differing.length) return { verdict: 'differs', seen };
		const parts = Object.entries(ASSUMED).filter(([, [one]]) => one === number);
		const holds = own.length > 0 && parts.every(([part]) => this.proven.has(part));
		return { verdict: holds ? 'holds' : 'unknown', seen };
	}
}
