import { newId } from '../platform/ids.mts';
import { integer, text } from '../database/database.mts';
import type { Database, Row } from '../database/database.mts';
import type { Clock } from '../platform/clock.mts';
import { Part } from '../platform/part.mts';

/** A message with its number, which only grows, and when it was sent. */
export interface SentMessage {
	id: string;
	n: number;
	created_at: string;
	channel: 'mail' | 'sms' | 'qr';
	to: string | null;
	subject: string | null;
	text: string;
	link: string | null;
	code: string | null;
	/** A data URL. */
	image: string | null;
}

/** A message that the service would send, or hand over, to a person. `to`: null for a QR code, which somebody hands over. */
export type Message = Pick<SentMessage, 'channel' | 'to' | 'text'> &
	Partial<Pick<SentMessage, 'subject' | 'link' | 'code' | 'image'>>;

/**
 * Every mail, SMS and QR code of the sandbox. It replaces people's mailboxes and phones, so it is the only place with links
 * and codes in clear text.
 */
export class Outbox extends Part<{ database: Database; clock: Clock }> {
	/** Adds a message, as part of the current transaction. */
	put({ to, ...message }: Message): void {
		const row = { id: newId('msg'), created_at: this.parts.clock.iso(), recipient: to };
		this.parts.database.insert('outbox', { ...row, ...message });
	}

	/** The latest messages to one recipient or to everybody, the newest first. `after` leaves out all up to that number. */
	list({
		to,
		after = 0,
		limit = 100,
	}: { to?: string; after?: number; limit?: number } = {}): SentMessage[] {
		return this.parts.database
			.all(
				'SELECT * FROM outbox WHERE n > ? AND ifnull(?, recipient) IS recipient ORDER BY n DESC LIMIT ?',
				[after, to ?? null, limit],
			)
			.map(readMessage);
	}

	/** Everybody who was sent a message, with the number of messages; the latest recipient first. */
	recipients(): { to: string; messages: number }[] {
		return this.parts.database
			.all(
				`SELECT recipient, count(*) AS messages FROM outbox WHERE recipient IS NOT NULL
				GROUP BY recipient ORDER BY max(n) DESC`,
				[],
			)
			.map(({ recipient, messages }) => ({ to: text(recipient), messages: integer(messages) }));
	}

	clear(): void {
		this.parts.database.run('DELETE FROM outbox', []);
	}
}

function readMessage(row: Row): SentMessage {
	const optional = (name: string) => (row[name] === null ? null : text(row[name]));
	const { channel } = row;
	return {
		id: text(row.id),
		n: integer(row.n),
		created_at: text(row.created_at),
		channel: channel === 'sms' || channel === 'qr' ? channel : 'mail',
		to: optional('recipient'),
		subject: optional('subject'),
		text: text(row.text),
		link: optional('link'),
		code: optional('code'),
		image: optional('image'),
	};
}
