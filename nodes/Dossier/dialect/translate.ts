import type { IDataObject } from 'n8n-workflow';
import { canonical, assumedEvents, assumedPayloads } from './canonical';
import type { RecordKind } from './canonical';
import { changePath, getPath, isObject, takePath } from './paths';
import type { Value } from './paths';
import { applyNaming, movePaths, planMoves, findServiceName } from './names';
import type { Dialect } from './schema';
import { Problem } from '../problems/problem';
import { isCountField, isTimeField, readTime, readCount, writeDay, writeTime } from './formats';

export const isIdentifier = (value: unknown) =>
	(typeof value === 'string' && value !== '') || typeof value === 'number';

/** The kinds of record that actions of the audit log begin with. */
const auditedKinds = ['dossier', 'document', 'portalUser', 'task'] as const;

/** Translates records, requests and queries between this package's names and those of one service. */
export class Translator {
	private readonly plans = new Map<RecordKind, ReturnType<typeof planMoves>>();

	/** @param timezone in which a day begins, if the service takes days instead of times */
	constructor(
		readonly dialect: Dialect,
		private readonly timezone = 'UTC',
	) {}

	private plan(kind: RecordKind) {
		const known = this.plans.get(kind) ?? planMoves(this.dialect, kind);
		this.plans.set(kind, known);
		return known;
	}

	/** A record under this package's names; unknown fields stay as they were sent. */
	readRecord(kind: RecordKind, sent: IDataObject): IDataObject {
		const record = movePaths(sent, this.plan(kind).read);
		for (const field of canonical[kind].valued)
			changePath(record, field, (value) => this.readValue(kind, field, value));
		for (const field of canonical[kind].fields.filter(isTimeField))
			changePath(record, field, (value) => readTime(this.dialect, value));
		for (const field of canonical[kind].fields.filter(isCountField))
			changePath(record, field, readCount);
		return kind === 'auditEntry' ? this.readChanges(record) : record;
	}

	/** An audit entry whose `changes` have this package's names and words. */
	private readChanges(entry: IDataObject): IDataObject {
		const { action, changes } = entry;
		const about = typeof action === 'string' ? action.toLowerCase() : '';
		// Four letters tell the kinds apart, and fit `portalUser`, `portal_user` and `portal.user`.
		const kind = auditedKinds.find((one) => about.startsWith(one.slice(0, 4)));
		if (!kind || !isObject(changes)) return entry;
		const read = Object.entries(changes).map(([name, change]): [string, Value] => {
			const field = this.readFieldName(kind, name);
			const readWord = (value: Value) => {
				const word = this.readValue(kind, field, value);
				return isTimeField(field) ? readTime(this.dialect, word) : word;
			};
			if (!isObject(change)) return [field, readWord(change)];
			const sides = { ...change };
			for (const side of ['from', 'to']) changePath(sides, side, readWord);
			return [field, sides];
		});
		return { ...entry, changes: Object.fromEntries(read) };
	}

	/** A copy without the fields that no request sends: those that the service does not have, or sets itself. */
	dropUnsent(kind: RecordKind, fields: IDataObject): IDataObject {
		const kept = { ...fields };
		for (const field of this.plan(kind).unsent) takePath(kept, field);
		return kept;
	}

	/** The body of a request under the service's names. */
	writeBody(kind: RecordKind, fields: IDataObject): IDataObject {
		const { sent } = this.plan(kind);
		const spelled = this.dropUnsent(kind, fields);
		for (const [field, value] of Object.entries(spelled)) {
			if (isTimeField(field)) spelled[field] = this.writeMoment(kind, field, value);
		}
		for (const field of canonical[kind].valued)
			changePath(spelled, field, (value) => this.writeValue(kind, field, value));
		// A field that was entered under the service's own name wins over that of the form.
		const isOwn = (theirs: string) =>
			getPath(fields, theirs) !== undefined && !canonical[kind].fields.includes(theirs);
		for (const [ours, theirs] of sent) if (isOwn(theirs)) takePath(spelled, ours);
		return movePaths(
			spelled,
			sent.filter(([, theirs]) => !isOwn(theirs)),
		);
	}

	/** Writes an ISO 8601 time as the service takes it in a field, or in a filter on that field; a filter says how to round. */
	writeMoment(kind: RecordKind, field: string, value: Value, round = Math.floor): Value {
		const isDay = this.dialect[kind]?.days?.includes(field);
		return isDay ? writeDay(value, this.timezone, round) : writeTime(this.dialect, value, round);
	}

	/**
	 * The fields of a record that a request sends back: all but those that the service sets itself. Unknown fields are among them,
	 * because a service may require them, e.g. the number of a version.
	 */
	pickWritable(kind: RecordKind, record: IDataObject): IDataObject {
		const picked = this.dropUnsent(kind, record);
		const { sent } = this.plan(kind);
		for (const field of canonical[kind].readOnly) takePath(picked, field);
		// What is left of an object whose field was read, such as `state.since`, would overwrite a field of that name in the request.
		for (const [, theirs] of sent)
			if (!canonical[kind].fields.includes(theirs)) takePath(picked, theirs);
		return picked;
	}

	/** Refuses values that were entered for fields that no request sends. Throws Problem. */
	refuseUnsent(kind: RecordKind, entered: IDataObject): void {
		const fields = this.plan(kind).unsent.filter((field) => getPath(entered, field) !== undefined);
		if (fields.length) throw new Problem('FIELDS_NOT_SENT', { fields });
	}

	/** The service's name for a filter; `null` if the service has no such filter. */
	nameFilter(kind: RecordKind, filter: string): string | null {
		const own = this.dialect[kind]?.filters?.[filter];
		return own !== undefined ? own : findServiceName(this.dialect, kind, filter);
	}

	/** The service's word for a value of a field. */
	writeValue(kind: RecordKind, field: string, value: Value): Value {
		const words = Object.entries(this.dialect[kind]?.values?.[field] ?? {});
		return words.find(([ours]) => ours === value)?.[1] ?? value;
	}

	/** This package's name for the field that a refusal names, alone or as a path: `/name`, `body.name`. */
	readFieldName(kind: RecordKind, refused: string): string {
		const path = refused.replace(/^[#/]+/, '').replaceAll('/', '.');
		const { fields } = canonical[kind];
		const names = [
			...this.plan(kind).sent.map(([ours, theirs]) => [ours, theirs] as const),
			...fields.map((field) => [field, findServiceName(this.dialect, kind, field)] as const),
			...fields.map((field) => [field, field] as const),
		];
		const own = names.find(([, theirs]) => theirs === path);
		const last = names.find(([, theirs]) => theirs !== null && path.endsWith(`.${theirs}`));
		return (own ?? last)?.[0] ?? refused;
	}

	/** The payload of an event under this package's names and words. In `document.uploaded` the names stay: they are documented. */
	readPayload(event: string, data: IDataObject): IDataObject {
		const known = assumedEvents.find((name) => name === event);
		if (!known && event !== 'document.uploaded') return data;
		const fields = known ? assumedPayloads[known] : [];
		const pairs = fields.flatMap((field) => {
			// An identifier may be that of an object: `dossier.id`.
			const names = [field, field.replace(/_id$/, '.id')].map((name) =>
				applyNaming(name, this.dialect.naming),
			);
			const name = names.find((one) => getPath(data, one) !== undefined);
			return name === undefined ? [] : [[name, field] as const];
		});
		const read = movePaths(data, pairs);
		changePath(read, 'status', (value) => this.readValue('dossier', 'status', value));
		changePath(read, 'due_at', (value) => readTime(this.dialect, value));
		changePath(read, 'category', (value) => this.readValue('document', 'category', value));
		return read;
	}

	private readValue(kind: RecordKind, field: string, value: Value): Value {
		const words = Object.entries(this.dialect[kind]?.values?.[field] ?? {});
		return words.find(([, theirs]) => theirs === value)?.[0] ?? value;
	}
}
