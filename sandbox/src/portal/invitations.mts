import { hash, randomBytes } from 'node:crypto';
import type { RequestContext } from '../accounts/caller.mts';
import { validationError } from '../contract/service-error.mts';
import { day } from '../platform/clock.mts';
import type { Clock } from '../platform/clock.mts';
import { newId } from '../platform/ids.mts';
import { readText } from '../platform/json.mts';
import type { Json, JsonObject } from '../platform/json.mts';
import type { Audit } from '../accounts/audit.mts';
import { integer, text } from '../database/database.mts';
import type { Database, StoredRecord } from '../database/database.mts';
import type { Events } from '../webhooks/events.mts';
import type { Message, Outbox } from './outbox.mts';
import { formatName, portalTarget } from './portal-users.mts';
import { createQrCode } from './qr.mts';
import type { PortalUsers, SeenDossier } from './portal-users.mts';
import { Part } from '../platform/part.mts';

/** A new invitation: its token, its address, and the message that carries it. */
interface NewInvitation {
	/** How it reaches the person. */
	channel: 'email' | 'qr';
	token: string;
	url: string;
	message: Pick<Message, 'subject' | 'text' | 'image'>;
}

interface InvitationParts {
	database: Database;
	portalUsers: PortalUsers;
	clock: Clock;
	audit: Audit;
	events: Events;
	outbox: Outbox;
	/** Where the service is reached. */
	url: string;
}

/** The invitations to the portal. Only the SHA-256 of a token is stored. */
export class Invitations extends Part<InvitationParts> {
	/** Invites somebody by mail, and gives the invitation. Throws as `#invite` does. */
	inviteByMail(context: RequestContext, input: JsonObject): JsonObject {
		const organization = this.#findOrganization(context.dataset);
		const { token, url } = this.#createToken();
		const subject = `${organization} invites you to the portal`;
		const message = { subject, text: formatInvitation(input, organization, url) };
		return this.#invite(context, input, { channel: 'email', token, url, message });
	}

	/** Invites somebody by a QR code, and gives the invitation with its token and the code. Throws as `#invite` does. */
	inviteByQrCode(context: RequestContext, input: JsonObject): JsonObject {
		const { token, url } = this.#createToken();
		const format = input.qr_format === 'png' ? 'png' : 'svg';
		const image = createQrCode(url, format);
		const message = {
			text: formatInvitation(input, this.#findOrganization(context.dataset), url),
			image,
		};
		const invitation = { channel: 'qr', token, url, message } as const;
		const invited = this.#invite(context, input, invitation);
		return { ...invited, token, qr: { format, data_url: image } };
	}

	#createToken(): { token: string; url: string } {
		const token = randomBytes(24).toString('base64url');
		return { token, url: `${this.parts.url}/_sandbox/portal/invite/${token}` };
	}

	/** The name of the organization that a dataset belongs to. */
	#findOrganization(dataset: number): string {
		const sql = 'SELECT name FROM datasets JOIN organizations ON id = organization_id WHERE n = ?';
		return text(this.parts.database.get(sql, [dataset])?.name);
	}

	/**
	 * Stores an invitation, and gives it as the contract describes it. Somebody whose access was removed, or whose invitation expired,
	 * becomes the same portal user again. Throws 422 `VALIDATION_ERROR` for a dossier that does not exist, and 422
	 * `USER_ALREADY_INVITED` for somebody with an open invitation or an active access.
	 */
	#invite(
		context: RequestContext,
		input: JsonObject,
		{ channel, token, url, message }: NewInvitation,
	): JsonObject {
		const { database, portalUsers, clock, outbox, audit, events } = this.parts;
		return database.transaction(() => {
			const dossiers = this.#findDossiers(context.dataset, input.dossier_ids);
			const known = this.#findKnown(context.dataset, input);
			if (known && this.mayEnter(known)) {
				const field = readText(input.email) === null ? 'phone' : 'email';
				const sentence = 'This person has an open invitation or an active access.';
				throw validationError(field, 'already_invited', sentence, 'USER_ALREADY_INVITED');
			}
			const user = portalUsers.storeInvited(context, known, input, dossiers);
			database.run('DELETE FROM invitations WHERE user = ?', [user.n]);
			const days = typeof input.expires_in_days === 'number' ? input.expires_in_days : 14;
			const expiresAt = clock.now() + days * day;
			const id = newId('inv');
			database.insert('invitations', {
				id,
				user: user.n,
				token_hash: hash('sha256', token),
				state: 'pending',
				expires_at: expiresAt,
			});
			outbox.put({
				...message,
				channel: channel === 'email' ? 'mail' : 'qr',
				to: readText(input.email),
				link: url,
			});
			audit.record(context, 'portal.user_invited', portalTarget(user.fields));
			events.emit(context, 'portal.user_invited', {
				portal_user_id: user.fields.id,
				invite_id: id,
				channel,
				dossier_ids: user.fields.dossier_ids,
				invited_by: context.userId,
			});
			return {
				id,
				portal_user_id: user.fields.id,
				state: 'pending',
				invite_url: url,
				expires_at: new Date(expiresAt).toISOString(),
			};
		});
	}

	/** Whether somebody may sign in, which needs an active access or an open invitation. */
	mayEnter({ n, fields }: StoredRecord): boolean {
		if (fields.status !== 'invited') return fields.status === 'active';
		const sql = `SELECT 1 FROM invitations WHERE user = ? AND state = 'pending' AND expires_at > ?`;
		return this.parts.database.get(sql, [n, this.parts.clock.now()]) !== undefined;
	}

	/** The user of a pending invitation by its token, and when it expires (milliseconds since 1970). */
	find(token: string): { user: StoredRecord; expiresAt: number } | undefined {
		const row = this.parts.database.get(
			`SELECT * FROM invitations WHERE token_hash = ? AND state = 'pending'`,
			[hash('sha256', token)],
		);
		if (!row) return undefined;
		return {
			user: this.parts.portalUsers.at(integer(row.user)),
			expiresAt: integer(row.expires_at),
		};
	}

	/** Notes that somebody accepted an invitation. Call it in the transaction of the sign-in. */
	accept(user: StoredRecord): void {
		const sql = `UPDATE invitations SET state = 'accepted' WHERE user = ? AND state = 'pending'`;
		this.parts.database.run(sql, [user.n]);
	}

	/** The portal user who is invited again, found by the address, or by the number if there is no address. */
	#findKnown(dataset: number, input: JsonObject): StoredRecord | undefined {
		const [email, phone] = [readText(input.email), readText(input.phone)];
		if (email !== null) return this.parts.portalUsers.withEmail(email, dataset)[0];
		if (phone === null) return undefined;
		const people = this.parts.portalUsers.withPhone(phone, dataset);
		return people.find((one) => this.mayEnter(one)) ?? people[0];
	}

	#findDossiers(dataset: number, ids: Json | undefined): SeenDossier[] {
		return (Array.isArray(ids) ? ids : []).map((one, index) => {
			const id = readText(one) ?? '';
			const sql = 'SELECT n FROM dossiers WHERE dataset = ? AND id = ?';
			const row = this.parts.database.get(sql, [dataset, id]);
			if (row) return { n: integer(row.n), id };
			const field = `dossier_ids.${index}`;
			throw validationError(field, 'not_found', `There is no dossier with the id in ${field}.`);
		});
	}
}

/** The text of an invitation. */
function formatInvitation(input: JsonObject, organization: string, url: string): string {
	const name = formatName({ first_name: input.first_name, last_name: input.last_name });
	const message = readText(input.message);
	return [
		name ? `Hello ${name},` : 'Hello,',
		`${organization} invites you to the portal.`,
		...(message ? [message] : []),
		`Follow this link to sign in. It works once: ${url}`,
	].join('\n\n');
}
