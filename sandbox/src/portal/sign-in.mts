import { hash, randomBytes, randomInt } from 'node:crypto';
import type { Origin } from '../accounts/caller.mts';
import { ServiceError } from '../contract/service-error.mts';
import type { Clock } from '../platform/clock.mts';
import { newId } from '../platform/ids.mts';
import { readText } from '../platform/json.mts';
import type { JsonObject } from '../platform/json.mts';
import { integer, text } from '../database/database.mts';
import type { Database, StoredRecord } from '../database/database.mts';
import type { Invitations } from './invitations.mts';
import type { Outbox } from './outbox.mts';
import type { PortalUsers } from './portal-users.mts';
import type { Secret } from '../platform/secret.mts';
import type { Sessions } from './sessions.mts';
import { Part } from '../platform/part.mts';

/** How long a link works, in seconds. */
export const linkSeconds = 900;
/** How long a code works, in seconds. */
export const codeSeconds = 300;

/** The shortest time between two links or two codes, in seconds. */
const pauseSeconds = 60;
const attemptsPerCode = 5;

interface SignInParts {
	database: Database;
	portalUsers: PortalUsers;
	invitations: Invitations;
	sessions: Sessions;
	clock: Clock;
	secret: Secret;
	outbox: Outbox;
	/** Without rate limits, there is no pause between two links or codes. */
	limits: { rule: unknown };
	/** Where the service is reached. */
	url: string;
}

/** The two ways into the portal: a link by mail and a code by SMS. Neither reveals who has an account. */
export class SignIn extends Part<SignInParts> {
	/** Whether a link or code must wait for the pause after the last one. */
	get #hasPauses(): boolean {
		return this.parts.limits.rule !== 'off';
	}

	/**
	 * Mails a link for each access that an address has; there can be one for each organization. Only the SHA-256 of a token is stored.
	 * Throws 429 `RATE_LIMIT_EXCEEDED` if the last link is younger than a minute, even if
	 * nobody has the address.
	 */
	sendLinks(email: string): void {
		const { database, portalUsers, invitations, clock, outbox, url } = this.parts;
		database.transaction(() => {
			const now = clock.now();
			if (this.#hasPauses) this.#assertLinkPause(email, now);
			const users = portalUsers.withEmail(email).filter((user) => invitations.mayEnter(user));
			if (users.length === 0) this.#addLink(null, now);
			for (const user of users) {
				const link = `${url}/_sandbox/portal/sign-in/${this.#addLink(user.n, now)}`;
				outbox.put({
					channel: 'mail',
					to: readText(user.fields.email),
					subject: 'Your link to the portal',
					text: `Follow this link to sign in. It works once, for ${linkSeconds / 60} minutes: ${link}`,
					link,
				});
			}
		});
	}

	#assertLinkPause(email: string, now: number): void {
		const { database, secret } = this.parts;
		const mailboxHash = secret.derive(`mailbox ${email.toLowerCase()}`);
		// After the clock was moved back, requests may lie in the future. They delay nobody.
		database.run('DELETE FROM link_requests WHERE sent_at <= ? OR sent_at > ?', [
			now - pauseSeconds * 1000,
			now,
		]);
		const sql = 'SELECT sent_at FROM link_requests WHERE mailbox_hash = ?';
		const last = database.get(sql, [mailboxHash]);
		if (last) throw createPauseError('link', 'address', integer(last.sent_at), now);
		database.insert('link_requests', { mailbox_hash: mailboxHash, sent_at: now });
	}

	/** Creates the token of a link, for a user or for nobody. */
	#addLink(user: number | null, now: number): string {
		const token = randomBytes(24).toString('base64url');
		this.parts.database.run('DELETE FROM sign_in_links WHERE user IS NULL AND expires_at <= ?', [
			now,
		]);
		const row = { token_hash: hash('sha256', token), user, expires_at: now + linkSeconds * 1000 };
		this.parts.database.insert('sign_in_links', row);
		return token;
	}

	/**
	 * Redeems the token of a link or an invitation for a session. Throws 401 `INVALID_TOKEN` if it is no longer valid, and 401
	 * `TOKEN_EXPIRED` if it is too old.
	 */
	redeem(token: string, origin: Origin): JsonObject {
		return this.parts.database.transaction(() => {
			const { user } = this.find(token);
			this.parts.database.run('DELETE FROM sign_in_links WHERE token_hash = ?', [
				hash('sha256', token),
			]);
			return this.parts.sessions.begin(user, 'magic_link', origin);
		});
	}

	/** Who can sign in with the token of a link or of an invitation. Throws as `redeem` does. */
	find(token: string): { user: StoredRecord; isInvitation: boolean } {
		const link = this.#findLink(token);
		const found = link ?? this.parts.invitations.find(token);
		if (!found) {
			const message = 'This link is no longer valid. Ask for a new one.';
			throw new ServiceError('INVALID_TOKEN', message);
		}
		if (found.expiresAt <= this.parts.clock.now()) {
			throw new ServiceError('TOKEN_EXPIRED', 'This link has expired. Ask for a new one.');
		}
		return { user: found.user, isInvitation: link === undefined };
	}

	#findLink(token: string) {
		const sql = 'SELECT * FROM sign_in_links WHERE token_hash = ? AND user IS NOT NULL';
		const row = this.parts.database.get(sql, [hash('sha256', token)]);
		if (!row) return undefined;
		return {
			user: this.parts.portalUsers.at(integer(row.user)),
			expiresAt: integer(row.expires_at),
		};
	}

	/**
	 * Sends a code to a number, and gives the id under which it is entered. An earlier code stops working. If several people have the
	 * number, the code is for the one who was invited last. Throws 429 `RATE_LIMIT_EXCEEDED` if the last code is younger than a minute,
	 * even if nobody has the number.
	 */
	sendCode(phone: string): string {
		const { database, portalUsers, invitations, clock, secret, outbox } = this.parts;
		return database.transaction(() => {
			const now = clock.now();
			const phoneHash = secret.derive(`phone ${phone}`);
			if (this.#hasPauses) this.#assertCodePause(phoneHash, now);
			const user = portalUsers.withPhone(phone).find((one) => invitations.mayEnter(one));
			const id = newId('otp');
			const code = String(randomInt(0, 1_000_000)).padStart(6, '0');
			database.run('DELETE FROM sms_challenges WHERE phone_hash = ?', [phoneHash]);
			database.insert('sms_challenges', {
				id,
				phone_hash: phoneHash,
				user: user?.n ?? null,
				code_hash: this.#hashCode(id, code),
				sent_at: now,
				expires_at: now + codeSeconds * 1000,
			});
			if (user) {
				outbox.put({
					channel: 'sms',
					to: phone,
					text: `${code} is your code for the portal. It works for ${codeSeconds / 60} minutes.`,
					code,
				});
			}
			return id;
		});
	}

	#assertCodePause(phoneHash: string, now: number): void {
		const sql = 'SELECT sent_at FROM sms_challenges WHERE phone_hash = ?';
		const last = this.parts.database.get(sql, [phoneHash]);
		if (!last) return;
		const sentAt = integer(last.sent_at);
		// After the clock was moved back, the last code may lie in the future. It delays nobody.
		if (sentAt <= now - pauseSeconds * 1000 || sentAt > now) return;
		throw createPauseError('code', 'number', sentAt, now);
	}

	/**
	 * Begins a session with a code. Throws 401 `INVALID_OTP` for a wrong code and after five wrong ones, and 401 `TOKEN_EXPIRED` for
	 * one that is too old.
	 */
	enterCode(challengeId: string, code: string, origin: Origin): JsonObject {
		const row = this.parts.database.get('SELECT * FROM sms_challenges WHERE id = ?', [challengeId]);
		if (!row) {
			throw new ServiceError('INVALID_OTP', 'There is no code to enter here. Ask for a new one.');
		}
		if (integer(row.tries) >= attemptsPerCode) {
			throw new ServiceError('INVALID_OTP', 'The code was tried too often. Ask for a new one.');
		}
		if (integer(row.expires_at) <= this.parts.clock.now()) {
			throw new ServiceError('TOKEN_EXPIRED', 'This code is too old. Ask for a new one.');
		}
		// These are hashes under a secret: the time that a comparison takes reveals nothing about the code.
		if (row.user === null || text(row.code_hash) !== this.#hashCode(challengeId, code)) {
			this.parts.database.run('UPDATE sms_challenges SET tries = tries + 1 WHERE id = ?', [
				challengeId,
			]);
			throw new ServiceError(
				'INVALID_OTP',
				'The code is wrong. Check the message, or ask for a new one.',
			);
		}
		return this.parts.database.transaction(() => {
			// The row stays, used up, so that the pause before the next code still applies.
			this.parts.database.run('UPDATE sms_challenges SET tries = ? WHERE id = ?', [
				attemptsPerCode,
				challengeId,
			]);
			return this.parts.sessions.begin(
				this.parts.portalUsers.at(integer(row.user)),
				'sms_otp',
				origin,
			);
		});
	}

	#hashCode(challengeId: string, code: string): string {
		return this.parts.secret.derive(`code ${challengeId} ${code}`);
	}
}

function createPauseError(
	what: string,
	recipient: string,
	sentAt: number,
	now: number,
): ServiceError {
	const seconds = Math.ceil((sentAt - now) / 1000) + pauseSeconds;
	const message = `A ${what} was asked for this ${recipient} less than ${pauseSeconds} seconds ago. Try again in ${seconds} seconds.`;
	return new ServiceError('RATE_LIMIT_EXCEEDED', message, [], seconds);
}
