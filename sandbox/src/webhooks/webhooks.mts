import { randomBytes } from 'node:crypto';
import { createSystemContext } from '../accounts/caller.mts';
import type { RequestContext } from '../accounts/caller.mts';
import { validationError } from '../contract/service-error.mts';
import { day } from '../platform/clock.mts';
import type { Clock } from '../platform/clock.mts';
import type { Contract } from '../contract/contract.mts';
import type { Switches } from '../contract/switches.mts';
import { newId } from '../platform/ids.mts';
import { readText } from '../platform/json.mts';
import type { JsonObject } from '../platform/json.mts';
import { diffFields } from '../accounts/audit.mts';
import type { Audit } from '../accounts/audit.mts';
import { RecordStore } from '../accounts/record-store.mts';
import { integer, text } from '../database/database.mts';
import type { Database, Row, StoredRecord } from '../database/database.mts';
import type { EventKind } from './events.mts';
import { assertSecret } from './signature.mts';

/** How long a replaced secret still signs beside the new one. */
const secretOverlap = day;

/** The address of a webhook, and the secrets that sign: the current one, then, for 24 hours, the one that it replaced. */
export interface Receiver {
	id: string;
	url: string;
	secrets: [string, ...string[]];
}

interface WebhookParts {
	database: Database;
	contract: Contract;
	audit: Audit;
	clock: Clock;
	switches: Switches;
}

/** The webhooks of all datasets. A secret is not one of the fields. */
export class Webhooks extends RecordStore<WebhookParts> {
	protected readonly kind = 'webhook';

	/** A webhook of any dataset. Throws 404 as `find` does. */
	byId(id: string): StoredRecord {
		const row = this.parts.database.get('SELECT dataset FROM webhooks WHERE id = ?', [id]);
		return this.find(row ? integer(row.dataset) : -1, id);
	}

	/** Every webhook with its organization and its secrets, the oldest first. */
	list(): JsonObject[] {
		const sql = `SELECT webhooks.*, organization_id, kind FROM webhooks JOIN datasets ON datasets.n = dataset ORDER BY webhooks.n`;
		return this.parts.database.all(sql, []).map((row) => ({
			...this.readFields(row),
			organization_id: text(row.organization_id),
			environment: text(row.kind),
			secrets: this.#readSecrets(row),
		}));
	}

	/** Registers a webhook, and gives it with its secret, which no other answer shows. Throws 422 for an invalid address. */
	create(context: RequestContext, input: JsonObject): JsonObject {
		assertAddress(input);
		const secret = this.#selectSecret(readText(input.secret));
		const fields = this.parts.contract.shape('Webhook', {
			...input,
			id: newId('whk'),
			status: 'active',
			created_at: context.time,
		});
		this.parts.database.transaction(() => {
			this.parts.database.insert('webhooks', {
				dataset: context.dataset,
				secret,
				fields: JSON.stringify(fields),
			});
			this.record(context, 'created', fields);
		});
		return { ...fields, secret };
	}

	/**
	 * Changes what the merge patch names. A replaced secret signs for 24 hours more, so that receivers can change over. Disabling a webhook
	 * gives up its pending deliveries. Throws 404 and 422 as above.
	 */
	update(context: RequestContext, id: string, patch: JsonObject): JsonObject {
		assertAddress(patch);
		return this.parts.database.transaction(() => {
			const { n, fields: before } = this.find(context.dataset, id);
			const fields = this.parts.contract.shape('Webhook', {
				...before,
				...patch,
				id,
				created_at: before.created_at,
			});
			this.#write(n, fields);
			const changes = diffFields(before, fields);
			if (this.#changeSecret(n, readText(patch.secret)))
				changes.secret = { from: '***', to: '***' };
			this.record(context, 'updated', fields, changes);
			return fields;
		});
	}

	/** Deletes a webhook with all its deliveries. Throws 404 as above. */
	delete(context: RequestContext, id: string): void {
		const { n, fields } = this.find(context.dataset, id);
		this.parts.database.transaction(() => {
			this.parts.database.run('DELETE FROM webhooks WHERE n = ?', [n]);
			this.record(context, 'deleted', fields);
		});
	}

	/** Disables a webhook whose receiver answered 410. Call it in a transaction. */
	disable(n: number): void {
		const sql = `SELECT dataset, fields FROM webhooks WHERE n = ? AND status = 'active'`;
		const row = this.parts.database.get(sql, [n]);
		if (!row) return;
		const before = this.readFields(row);
		const fields = { ...before, status: 'disabled' };
		this.#write(n, fields);
		const dataset = { n: integer(row.dataset) };
		const context = createSystemContext(this.parts.clock, dataset, { name: 'Webhook delivery' });
		this.record(context, 'disabled', fields, diffFields(before, fields));
	}

	/** The numbers of the active webhooks that subscribe to a kind of event. */
	findSubscribed(dataset: number, kind: EventKind): number[] {
		return this.parts.database
			.all(
				`SELECT n FROM webhooks WHERE dataset = ? AND status = 'active'
				AND EXISTS (SELECT 1 FROM json_each(fields, '$.events') WHERE value = ?)`,
				[dataset, kind],
			)
			.map(({ n }) => integer(n));
	}

	/** Where the events of a webhook go; nothing if it is disabled or deleted. */
	findReceiver(n: number): Receiver | undefined {
		const sql = `SELECT * FROM webhooks WHERE n = ? AND status = 'active'`;
		const row = this.parts.database.get(sql, [n]);
		if (!row) return undefined;
		const url = text(readText(this.readFields(row).url));
		return { id: text(row.id), url, secrets: this.#readSecrets(row) };
	}

	/** The caller's secret, or one of the service. Throws 422 for a secret that the signature cannot use. */
	#selectSecret(given: string | null): string {
		if (given === null) return `whsec_${randomBytes(24).toString('base64')}`;
		assertSecret(given, this.parts.switches.signature);
		return given;
	}

	#readSecrets(row: Row): Receiver['secrets'] {
		const overlaps = Number(row.previous_until ?? 0) > this.parts.clock.now();
		return [text(row.secret), ...(overlaps ? [text(row.previous_secret)] : [])];
	}

	#write(n: number, fields: JsonObject): void {
		this.parts.database.update('webhooks', n, { fields: JSON.stringify(fields) });
		if (fields.status === 'active') return;
		const giveUp = `UPDATE deliveries SET state = 'failed' WHERE webhook = ? AND state = 'pending'`;
		this.parts.database.run(giveUp, [n]);
	}

	#changeSecret(n: number, secret: string | null): boolean {
		if (secret === null) return false;
		const changed = this.parts.database.run(
			`UPDATE webhooks SET previous_secret = secret, previous_until = ?, secret = ? WHERE n = ? AND secret <> ?`,
			[this.parts.clock.now() + secretOverlap, secret, n, secret],
		);
		return changed > 0;
	}
}

/** The contract's pattern accepts some invalid addresses, such as one with a port above 65535. */
function assertAddress({ url }: JsonObject): void {
	const address = readText(url);
	if (address === null || URL.canParse(address)) return;
	throw validationError(
		'url',
		'invalid_format',
		'Events cannot be sent to this address. Check it.',
	);
}
