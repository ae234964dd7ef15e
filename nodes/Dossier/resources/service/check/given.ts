import type { IDataObject } from 'n8n-workflow';
import { canonical } from '../../../dialect/canonical';
import type { RecordKind } from '../../../dialect/canonical';
import { isTimeField } from '../../../dialect/formats';
import { applyNaming } from '../../../dialect/names';
import { getPath, isObject, isWithin } from '../../../dialect/paths';
import type { Dialect } from '../../../dialect/schema';
import { walk } from '../../../dialect/structure';
import type { Fields } from './fields';

/** What the answers say about one part of the dialect in the credential, such as `list.style`. */
export interface Part {
	part: string;
	verdict: 'seen' | 'not seen' | 'contradicted';
	/** Why nothing could show it, if that is known. */
	reason?: string;
}

const NAMINGS = ['snake_case', 'camelCase', 'PascalCase'] as const;

/** From this number on, a time is in milliseconds since 1970; in seconds, it would be in the year 5138. */
const LEAST_MILLISECONDS = 1e11;

function nameTimes(value: number | string): Dialect['times'] {
	if (typeof value === 'string') return 'iso';
	return value < LEAST_MILLISECONDS ? 'epochSeconds' : 'epochMilliseconds';
}

/** Compares the dialect in the credential with what the answers show. */
export class GivenDialect {
	private readonly seen = new Set<string>();
	private readonly contradicted = new Set<string>();
	private readonly reasons = new Map<string, string>();

	constructor(private readonly dialect: Dialect) {}

	/** Notes whether an answer shows some parts as the dialect has them, or has something else in their place. */
	judge(parts: string[], isRight: boolean): void {
		for (const part of parts) (isRight ? this.seen : this.contradicted).add(part);
	}

	/** Notes why nothing can show some parts. */
	excuse(parts: string[], reason: string): void {
		for (const part of parts) this.reasons.set(part, reason);
	}

	/** Judges the names of the fields of some records. */
	judgeNames(kind: RecordKind, records: IDataObject[], { found, unknown }: Fields): void {
		const { naming } = this.dialect;
		const names = [...found, ...unknown].map(({ name }) => name);
		const isThere = (name: string) => names.some((one) => isWithin(one, name));
		for (const [field, name] of Object.entries(this.dialect[kind]?.fields ?? {})) {
			const part = `${kind}.fields.${field}`;
			if (name !== null && isThere(name)) this.judge([part], true);
			else if (isThere(applyNaming(field, naming))) this.judge([part], false);
			else if (name === null && records.length) this.judge([part], true);
		}
		for (const field of canonical[kind].fields.filter((one) => one.includes('_')))
			for (const style of NAMINGS)
				if (isThere(applyNaming(field, style))) this.judge(['naming'], style === naming);
	}

	/** Judges the words and the times in some records. */
	judgeValues(kind: RecordKind, records: IDataObject[], { found }: Fields): void {
		for (const { field, name } of found) {
			const words = Object.entries(this.dialect[kind]?.values?.[field] ?? {});
			for (const value of records.map((record) => getPath(record, name))) {
				const isTime = typeof value === 'string' || typeof value === 'number';
				if (isTime && isTimeField(field))
					this.judge(['times'], nameTimes(value) === this.dialect.times);
				for (const [ours, theirs] of words)
					if (theirs === value) this.judge([`${kind}.values.${field}.${ours}`], true);
			}
		}
	}

	/**
	 * Every part of the dialect with its verdict. One answer that shows a part is the proof, as others may lack it for another
	 * reason; one that has a field is the proof that the service has it.
	 */
	compare(): Part[] {
		return [...walk(this.dialect, Infinity)]
			.filter(([value, path]) => !isObject(value) && path[0] !== '$schema')
			.map(([value, path]) => {
				const part = path.join('.');
				const isWrong = this.contradicted.has(part);
				if (this.seen.has(part) && !(isWrong && value === null)) return { part, verdict: 'seen' };
				if (isWrong) return { part, verdict: 'contradicted' };
				const reason = this.reasons.get(part);
				return { part, verdict: 'not seen', ...(reason && { reason }) };
			});
	}
}
