import type { IDataObject } from 'n8n-workflow';
import { toText } from '../../../api/json';
import { canonical } from '../../../dialect/canonical';
import type { RecordKind } from '../../../dialect/canonical';
import { isTimeField } from '../../../dialect/formats';
import { applyNaming } from '../../../dialect/names';
import { getPath, isObject, isWithin } from '../../../dialect/paths';
import type { Dialect } from '../../../dialect/schema';
import { walk } from '../../../dialect/structure';
import type { Fields } from './fields';

/** What the answers say about one part of the dialect in the credential. */
export interface Part {
	/** Its path, such as `list.style`. */
	part: string;
	/** What the dialect says, as JSON. */
	given: string;
	verdict: 'seen' | 'not seen' | 'contradicted';
	/** What the answers have in its place, as JSON, if they contradict it. */
	instead: string;
}

const LIMIT_HEADER = /rate-?limit|retry-after|quota/;

const NAMINGS = ['snake_case', 'camelCase', 'PascalCase'] as const;

/** From this number on, a time is in milliseconds since 1970; in seconds, it would be in the year 5138. */
const LEAST_MILLISECONDS = 1e11;

function nameTimes(value: unknown): Dialect['times'] {
	if (typeof value === 'string') return 'iso';
	if (typeof value !== 'number') return undefined;
	return value < LEAST_MILLISECONDS ? 'epochSeconds' : 'epochMilliseconds';
}

/** Compares the dialect in the credential with what the answers show. */
export class GivenDialect {
	private readonly shown = new Map<string, unknown[]>();

	constructor(private readonly dialect: Dialect) {}

	/** Notes what an answer shows of a part, whether the dialect has that part or not. `undefined`: it shows another thing. */
	observe(part: string, value: unknown): void {
		this.shown.set(part, [...(this.shown.get(part) ?? []), value]);
	}

	/** Notes whether these parts of a group were right: what they were used for has worked, or has not. */
	judge(group: 'list' | 'upload', parts: readonly string[], isRight: boolean): void {
		for (const part of parts) {
			const value = getPath(this.dialect, `${group}.${part}`);
			this.observe(`${group}.${part}`, isRight ? value : undefined);
		}
	}

	observeRecords(kind: RecordKind, records: IDataObject[], { found, unknown }: Fields): void {
		const names = [...found, ...unknown].map(({ name }) => name);
		const isThere = (name: string) => names.some((one) => isWithin(one, name));
		for (const field of canonical[kind].fields) {
			const styles = NAMINGS.filter((style) => isThere(applyNaming(field, style)));
			for (const style of field.includes('_') ? styles : []) this.observe('naming', style);
			const isNull = this.dialect[kind]?.fields?.[field] === null;
			const usual = applyNaming(field, this.dialect.naming);
			const isUsual = unknown.some(({ name }) => isWithin(name, usual));
			if (isUsual || (isNull && records.length))
				this.observe(`${kind}.fields.${field}`, isUsual ? usual : null);
		}
		for (const { field, name } of found) {
			this.observe(`${kind}.fields.${field}`, name);
			for (const value of records.map((record) => getPath(record, name))) {
				const words = Object.entries(this.dialect[kind]?.values?.[field] ?? {});
				for (const [ours, theirs] of words)
					if (theirs === value) this.observe(`${kind}.values.${field}.${ours}`, theirs);
				const times = isTimeField(field) ? nameTimes(value) : undefined;
				if (times) this.observe('times', times);
			}
		}
	}

	/** The headers about the rate limit. */
	describeLimit(headers: IDataObject): string {
		return Object.entries(headers)
			.filter(([header]) => LIMIT_HEADER.test(header))
			.map(([header, value]) => `${header}: ${toText(value) ?? ''}`)
			.join(', ');
	}

	/** Every part of the dialect with its verdict. A part that some answer shows as it is given is seen. */
	compare(): Part[] {
		return [...walk(this.dialect, Infinity)]
			.filter(([value, path]) => !isObject(value) && path[0] !== '$schema')
			.map(([value, path]) => {
				const part = path.join('.');
				const given = JSON.stringify(value);
				const shown = this.shown.get(part)?.map((one) => JSON.stringify(one)) ?? [];
				if (!shown.length) return { part, given, verdict: 'not seen', instead: '' };
				// A record may lack a field for another reason, so one that has it is the proof.
				const others = [...new Set(shown)].filter((one) => one && one !== given);
				const isSeen = shown.includes(given) && !(value === null && others.length);
				if (isSeen) return { part, given, verdict: 'seen', instead: '' };
				return { part, given, verdict: 'contradicted', instead: others.join(', ') };
			});
	}
}
