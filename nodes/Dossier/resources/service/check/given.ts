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

	constructor(private readonly dialect: Dialect) {}

	/** Notes whether an answer shows some parts as the dialect has them, or has something else in their place. */
	judge(parts: string[], isRight: boolean): void {
		for (const part of parts) (isRight ? this.seen : this.contradicted).add(part);
	}

	/** Judges the names, words and times of a kind of record. */
	judgeRecords(kind: RecordKind, records: IDataObject[], { found, unknown }: Fields): void {
		const { naming, times } = this.dialect;
		const { fields = {}, values = {} } = this.dialect[kind] ?? {};
		const names = [...found, ...unknown].map(({ name }) => name);
		const isThere = (name: string) => names.some((one) => isWithin(one, name));
		for (const [field, name] of Object.entries(fields)) {
			const usual = applyNaming(field, naming);
			if (name !== null && isThere(name)) this.judge([`${kind}.fields.${field}`], true);
			else if (isThere(usual)) this.judge([`${kind}.fields.${field}`], false);
			else if (name === null && records.length) this.judge([`${kind}.fields.${field}`], true);
		}
		for (const field of canonical[kind].fields.filter((one) => one.includes('_')))
			for (const style of NAMINGS)
				if (isThere(applyNaming(field, style))) this.judge(['naming'], style === naming);
		for (const { field, name } of found) {
			for (const value of records.map((record) => getPath(record, name))) {
				for (const [ours, theirs] of Object.entries(values[field] ?? {}))
					if (theirs === value) this.judge([`${kind}.values.${field}.${ours}`], true);
				if (isTimeField(field) && (typeof value === 'string' || typeof value === 'number'))
					this.judge(['times'], nameTimes(value) === times);
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
				return { part, verdict: isWrong ? 'contradicted' : 'not seen' };
			});
	}
}
