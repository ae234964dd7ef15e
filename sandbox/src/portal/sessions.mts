import { hash, randomBytes } from 'node:crypto';
import type { Origin } from '../accounts/caller.mts';
import type { Clock } from '../platform/clock.mts';
import { readText } from '../platform/json.mts';
import type { JsonObject } from '../platform/json.mts';
import type { Audit } from '../accounts/audit.mts';
import { integer } from '../database/database.mts';
import type { Database, StoredRecord } from '../database/database.mts';
import type { Events } from '../webhooks/events.mts';
import type { Invitations } from './invitations.mts';
import { formatName, portalTarget } from './portal-users.mts';
import type { PortalUsers } from './portal-users.mts';
import { Part } from '../platform/part.mts';

/** How long a session lasts, in seconds. */
export const sessionSeconds = 3600;

interface SessionParts {
	database: Database;
	portalUsers: PortalUsers;
	invitations: Invitations;
	clock: Clock;
	audit: Audit;
	events: Events;
}

/** The sessions of portal users. Only the SHA-256 of a token is stored. */
export class Sessions extends Part<SessionParts> {
	/**
	 * Begins a session for a user whose link or code was right, and gives it as the contract describes it. Call it in the transaction
	 * that uses up the link or code.
	 */
	begin(user: StoredRecord, method: 'magic_link' | 'sms_otp', origin: Origin): JsonObject {
		const { database, portalUsers, invitations, clock, audit, events } = this.parts;
		const fields = portalUsers.markAccessed(user, origin.time);
		invitations.accept(user);
		const token = `ps_${randomBytes(24).toString('base64url')}`;
		const now = clock.now();
		database.run('DELETE FROM sessions WHERE user = ? AND expires_at <= ?', [user.n, now]);
		database.insert('sessions', {
			token_hash: hash('sha256', token),
			user: user.n,
			expires_at: now + sessionSeconds * 1000,
		});
		const id = readText(fields.id);
		const context = {
			...origin,
			dataset: user.dataset,
			userId: id ?? '',
			actor: { type: 'portal_user' as const, id, name: formatName(fields) },
		};
		audit.record(context, 'portal.user_signed_in', portalTarget(fields));
		events.emit(context, 'portal.user_accessed', { portal_user_id: id, method });
		return {
			access_token: token,
			token_type: 'Bearer',
			expires_in: sessionSeconds,
			portal_user: fields,
		};
	}

	/** The user of a session by its token, and when it expires (ISO 8601); nothing if it has expired or there is none. */
	find(token: string): { portal_user: JsonObject; expires_at: string } | undefined {
		const row = this.#findRow(token);
		const user = this.findUser(token);
		if (!row || !user) return undefined;
		return {
			portal_user: user.fields,
			expires_at: new Date(integer(row.expires_at)).toISOString(),
		};
	}

	/** The user of a session by its token; nothing if it has expired or there is none. */
	findUser(token: string): StoredRecord | undefined {
		const row = this.#findRow(token);
		return row && this.parts.portalUsers.at(integer(row.user));
	}

	#findRow(token: string) {
		return this.parts.database.get(
			'SELECT * FROM sessions WHERE token_hash = ? AND expires_at > ?',
			[hash('sha256', token), this.parts.clock.now()],
		);
	}
}
