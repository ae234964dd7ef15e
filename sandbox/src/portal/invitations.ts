import { hash, randomBytes } from 'node:crypto';
import type { RequestContext } from '../accounts/caller.ts';
import { ServiceError, validationError } from '../contract/service-error.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import { readText } from '../platform/json.ts';
import type { Json, JsonObject } from '../platform/json.ts';
import type { Audit } from '../accounts/audit.ts';
import { integer } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import type { Events } from '../webhooks/events.ts';
import type { Message, Outbox } from './outbox.ts';
import { formatName, portalTarget } from './portal-users.ts';
import type { PortalUsers, SeenDossier, StoredPortalUser } from './portal-users.ts';

const day = 24 * 60 * 60 * 1000;

/** How an invitation reaches the person. */
type Channel = 'email' | 'qr';

/** A new invitation: its token, its address, and the message that carries it. */
interface NewInvitation {
	channel: Channel;
	token: string;
	url: string;
	message: Pick<Message, 'subject' | 'text' | 'image'>;
}

/** The invitations to the portal. Only the SHA-256 of a token is stored. */
export class Invitations {
	readonly #database: Database;
	readonly #users: PortalUsers;
	readonly #clock: Clock;
	readonly #audit: Audit;
	readonly #events: Events;
	readonly #outbox: Outbox;

	constructor(
		database: Database,
		users: PortalUsers,
		clock: Clock,
		out: { audit: Audit; events: Events; outbox: Outbox },
	) {
		this.#database = database;
		this.#users = users;
		this.#clock = clock;
		this.#audit = out.audit;
		this.#events = out.events;
		this.#outbox = out.outbox;
	}

	/** Creates a token. The address of an invitation ends with it. */
	newToken(): string {
		return randomBytes(24).toString('base64url');
	}

	/**
	 * Invites somebody, and gives the invitation as the contract describes it. Somebody whose access was removed, or whose invitation
	 * expired, becomes the same portal user again. Throws 422 `VALIDATION_ERROR` for a dossier that does not exist, and 422
	 * `USER_ALREADY_INVITED` for somebody with an open invitation or an active access.
	 */
	invite(
		context: RequestContext,
		input: JsonObject,
		{ channel, token, url, message }: NewInvitation,
	): JsonObject {
		return this.#database.transaction(() => {
			const dossiers = this.#findDossiers(context.dataset, input.dossier_ids);
			const known = this.#findKnown(context.dataset, input);
			if (known && this.mayEnter(known)) {
				const field = readText(input.email) === null ? 'phone' : 'email';
				const sentence =
					'This person has an open invitation or an active access. Remove the portal user first to invite anew.';
				throw new ServiceError('USER_ALREADY_INVITED', sentence, [
					{ field, code: 'already_invited', message: sentence },
				]);
			}
			const user = this.#users.storeInvited(context, known, input, dossiers);
			this.#database.run('DELETE FROM invitations WHERE user = ?', [user.n]);
			const days = typeof input.expires_in_days === 'number' ? input.expires_in_days : 14;
			const expiresAt = this.#clock.now() + days * day;
			const id = newId('inv');
			this.#database.run(
				`INSERT INTO invitations (id, user, token_hash, state, expires_at) VALUES (?, ?, ?, 'pending', ?)`,
				[id, user.n, hash('sha256', token), expiresAt],
			);
			this.#outbox.put({
				...message,
				channel: channel === 'email' ? 'mail' : 'qr',
				to: readText(input.email),
				link: url,
			});
			this.#audit.record(context, 'portal.user_invited', portalTarget(user.fields));
			this.#events.emit(context, 'portal.user_invited', {
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
	mayEnter({ n, fields }: StoredPortalUser): boolean {
		if (fields.status !== 'invited') return fields.status === 'active';
		const sql = `SELECT 1 FROM invitations WHERE user = ? AND state = 'pending' AND expires_at > ?`;
		return this.#database.get(sql, [n, this.#clock.now()]) !== undefined;
	}

	/** The user of a pending invitation by its token, and when it expires (milliseconds since 1970). */
	find(token: string): { user: StoredPortalUser; expiresAt: number } | undefined {
		const row = this.#database.get(
			`SELECT * FROM invitations WHERE token_hash = ? AND state = 'pending'`,
			[hash('sha256', token)],
		);
		if (!row) return undefined;
		return { user: this.#users.at(integer(row.user)), expiresAt: integer(row.expires_at) };
	}

	/** Notes that somebody accepted an invitation. Call it in the transaction of the sign-in. */
	accept(user: StoredPortalUser): void {
		const sql = `UPDATE invitations SET state = 'accepted' WHERE user = ? AND state = 'pending'`;
		this.#database.run(sql, [user.n]);
	}

	/** The portal user who is invited again, found by the address, or by the number if there is no address. */
	#findKnown(dataset: number, input: JsonObject): StoredPortalUser | undefined {
		const [email, phone] = [readText(input.email), readText(input.phone)];
		if (email !== null) return this.#users.withEmail(email, dataset)[0];
		if (phone === null) return undefined;
		const people = this.#users.withPhone(phone, dataset);
		return people.find((one) => this.mayEnter(one)) ?? people[0];
	}

	#findDossiers(dataset: number, ids: Json | undefined): SeenDossier[] {
		return (Array.isArray(ids) ? ids : []).map((one, index) => {
			const id = readText(one) ?? '';
			const sql = 'SELECT n FROM dossiers WHERE dataset = ? AND id = ?';
			const row = this.#database.get(sql, [dataset, id]);
			if (row) return { n: integer(row.n), id };
			const field = `dossier_ids.${index}`;
			throw validationError(field, 'not_found', `There is no dossier with the id in ${field}.`);
		});
	}
}

/** The text of an invitation by mail. */
export function formatInvitation(input: JsonObject, organization: string, url: string): string {
	const name = formatName({ first_name: input.first_name, last_name: input.last_name });
	const message = readText(input.message);
	return [
		name ? `Hello ${name},` : 'Hello,',
		`${organization} invites you to the portal.`,
		...(message ? [message] : []),
		`Follow this link to sign in: ${url}`,
	].join('\n\n');
}
