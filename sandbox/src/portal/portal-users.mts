import type { RequestContext } from '../accounts/caller.mts';
import type { Contract } from '../contract/contract.mts';
import { newId } from '../platform/ids.mts';
import { readText } from '../platform/json.mts';
import type { JsonObject } from '../platform/json.mts';
import type { Audit, AuditTarget } from '../accounts/audit.mts';
import { RecordStore } from '../accounts/record-store.mts';
import { integer, text } from '../database/database.mts';
import type { Database, Row, StoredRecord } from '../database/database.mts';
import { toSearchText } from '../database/listing.mts';

/** A dossier that a user is to see. */
export interface SeenDossier {
	n: number;
	id: string;
}

interface PortalUserParts {
	database: Database;
	contract: Contract;
	audit: Audit;
}

/** The portal users of all datasets, and which dossiers they see. */
export class PortalUsers extends RecordStore<PortalUserParts> {
	protected readonly kind = 'portal_user';

	/** The user with the number by which rows refer to it. */
	at(n: number): StoredRecord {
		const row = this.parts.database.get('SELECT * FROM portal_users WHERE n = ?', [n]);
		if (!row) throw new Error('A row refers to a portal user that is not there.');
		return this.toStored(row);
	}

	/** The users with an email address, in all datasets or in one. Case makes no difference. */
	withEmail(email: string, dataset?: number): StoredRecord[] {
		return this.parts.database
			.all('SELECT * FROM portal_users WHERE mailbox = ? AND ifnull(?, dataset) = dataset', [
				email.toLowerCase(),
				dataset ?? null,
			])
			.map((row) => this.toStored(row));
	}

	/** The users with a phone number, in all datasets or in one; the last invited first. */
	withPhone(phone: string, dataset?: number): StoredRecord[] {
		return this.parts.database
			.all(
				`SELECT * FROM portal_users WHERE phone = ? AND ifnull(?, dataset) = dataset
				ORDER BY invited_at DESC, n DESC`,
				[phone, dataset ?? null],
			)
			.map((row) => this.toStored(row));
	}

	override readFields(row: Row): JsonObject {
		const seen = this.parts.database.all(
			'SELECT dossier_id FROM portal_access WHERE user = ? ORDER BY n',
			[integer(row.n)],
		);
		return {
			...super.readFields(row),
			dossier_ids: seen.map(({ dossier_id }) => text(dossier_id)),
		};
	}

	/**
	 * Stores somebody who is invited, as a new user or, if `known` is given, as that user. Call it in the transaction of the invitation.
	 */
	storeInvited(
		context: RequestContext,
		known: StoredRecord | undefined,
		input: JsonObject,
		dossiers: SeenDossier[],
	): StoredRecord {
		const given = Object.entries(input).filter(([, value]) => value !== null);
		const fields = this.parts.contract.shape('PortalUser', {
			...known?.fields,
			...Object.fromEntries(given),
			id: known?.fields.id ?? newId('usr'),
			status: 'invited',
			dossier_ids: [],
			invited_at: context.time,
			locale: known?.fields.locale,
			last_access_at: known?.fields.last_access_at,
		});
		const { dataset } = context;
		const columns = writeColumns(fields);
		const n = known?.n ?? this.parts.database.insert('portal_users', { dataset, ...columns });
		if (known) this.parts.database.update('portal_users', n, columns);
		this.parts.database.run('DELETE FROM portal_access WHERE user = ?', [n]);
		for (const dossier of dossiers) {
			const access = { user: n, dossier: dossier.n, dossier_id: dossier.id };
			this.parts.database.insert('portal_access', access);
		}
		return this.at(n);
	}

	/** Notes that a user signed in. Call it in the transaction of the sign-in. */
	markAccessed({ n, fields }: StoredRecord, time: string): JsonObject {
		const now = { ...fields, status: 'active', last_access_at: time };
		this.#update(n, now);
		return now;
	}

	/**
	 * Revokes the access: sessions, links and codes end, and open invitations become void. The user stays, as revoked. Does nothing
	 * for a revoked user. Throws 404 `PORTAL_USER_NOT_FOUND`.
	 */
	delete(context: RequestContext, id: string): void {
		this.parts.database.transaction(() => {
			const { n, fields } = this.find(context.dataset, id);
			if (fields.status === 'revoked') return;
			this.#update(n, { ...fields, status: 'revoked' });
			for (const table of ['sessions', 'sign_in_links', 'sms_challenges']) {
				this.parts.database.run(`DELETE FROM ${table} WHERE user = ?`, [n]);
			}
			const sql = `UPDATE invitations SET state = 'revoked' WHERE user = ? AND state = 'pending'`;
			this.parts.database.run(sql, [n]);
			this.parts.audit.record(context, 'portal.user_removed', portalTarget(fields), {
				status: { from: fields.status, to: 'revoked' },
			});
		});
	}

	#update(n: number, fields: JsonObject): void {
		this.parts.database.update('portal_users', n, writeColumns(fields));
	}
}

function writeColumns(fields: JsonObject): Record<string, string | null> {
	const { email, phone, first_name, last_name } = fields;
	return {
		mailbox: readText(email)?.toLowerCase() ?? null,
		search: toSearchText(...[email, phone, first_name, last_name].map(readText)),
		fields: JSON.stringify({ ...fields, dossier_ids: [] }),
	};
}

/** The name of a portal user, else the address or the number. */
export function formatName({ first_name, last_name, email, phone }: JsonObject): string | null {
	const name = [first_name, last_name].map(readText).filter(Boolean).join(' ');
	return name || (readText(email) ?? readText(phone));
}

/** A portal user as the target of an entry in the audit log. */
export function portalTarget(fields: JsonObject): AuditTarget {
	return { type: 'portal_user', id: readText(fields.id), label: formatName(fields) };
}
