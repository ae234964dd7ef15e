import { hash, randomBytes } from 'node:crypto';
import type { components } from '../../../contract/generated/types.mts';
import type { TokenCaller } from './caller.mts';
import type { Clock } from '../platform/clock.mts';
import { newId } from '../platform/ids.mts';
import { integer, text } from '../database/database.mts';
import type { Database } from '../database/database.mts';
import { readPlanColumn } from './caller.mts';
import type { Secret } from '../platform/secret.mts';
import type { Tenants } from './tenants.mts';
import { Part } from '../platform/part.mts';

/** Somebody who signs in to /api/v1. */
type User = components['schemas']['WorkspaceUser'];

interface TokenParts {
	database: Database;
	secret: Secret;
	tenants: Tenants;
	clock: Clock;
}

/**
 * The tokens of customers and operators (A-32), and their users. The tokens that every sandbox has are derived from the user's id and
 * the secret in the data folder. Only the SHA-256 of a token is stored.
 */
export class Tokens extends Part<TokenParts> {
	/** Creates the user of a tenant, with a token that does not expire. */
	addCustomer(tenantId: string): void {
		this.#add(tenantId, 'Mara Lindt', 'mara.lindt@customer.example');
	}

	/** The token of a tenant's user. */
	customerToken(tenantId: string): string {
		return this.#derive(tenantId, this.#findUser(tenantId).id);
	}

	/** The token of the operator, who is created by the first call. */
	operatorToken(): string {
		const row = this.parts.database.get('SELECT id FROM users WHERE tenant_id IS NULL', []);
		const id = row ? text(row.id) : this.#add(null, 'Olu Brandt', 'olu.brandt@service.example');
		return this.#derive(null, id);
	}

	/** Creates a further token of a tenant's user, which expires after some seconds. */
	issue(tenantId: string, seconds: number): string {
		const token = `ct_${randomBytes(20).toString('hex')}`;
		this.#store(token, this.#findUser(tenantId).id, this.parts.clock.now() + seconds * 1000);
		return token;
	}

	/** The caller that a token names; nothing if the sandbox does not have this token. */
	find(token: string): TokenCaller | undefined {
		const row = this.parts.database.get(
			`SELECT users.*, expires_at, organization_id, plan, datasets.n AS dataset FROM tokens
			JOIN users ON users.id = tokens.user_id
			LEFT JOIN tenants ON tenants.id = tenant_id
			LEFT JOIN organizations ON organizations.id = organization_id
			LEFT JOIN datasets USING (organization_id)
			WHERE token_hash = ? AND ifnull(datasets.kind, 'live') = 'live'`,
			[hash('sha256', token)],
		);
		if (!row) return undefined;
		const expiresAt = row.expires_at === null ? null : integer(row.expires_at);
		const findUser = { userId: text(row.id), userName: text(row.name), expiresAt };
		if (row.tenant_id === null) return { kind: 'operator', ...findUser };
		const tenantId = text(row.tenant_id);
		return {
			kind: 'customer',
			...findUser,
			dataset: integer(row.dataset),
			organizationId: text(row.organization_id),
			plan: readPlanColumn(row),
			tenantId,
			businessUnitIds: this.parts.tenants.listBusinessUnits(tenantId).map(({ id }) => id),
		};
	}

	/** The user with an id, such as a caller's `userId`. */
	user(id: string): User {
		const row = this.parts.database.get('SELECT * FROM users WHERE id = ?', [id]);
		return { id: text(row?.id), name: text(row?.name), email: text(row?.email) };
	}

	#findUser(tenantId: string): User {
		const row = this.parts.database.get('SELECT id FROM users WHERE tenant_id = ?', [tenantId]);
		return this.user(text(row?.id));
	}

	#add(tenantId: string | null, name: string, email: string): string {
		const id = newId('usr');
		this.parts.database.insert('users', { id, tenant_id: tenantId, name, email });
		this.#store(this.#derive(tenantId, id), id, null);
		return id;
	}

	#store(token: string, userId: string, expiresAt: number | null): void {
		const row = { token_hash: hash('sha256', token), user_id: userId, expires_at: expiresAt };
		this.parts.database.insert('tokens', row);
	}

	#derive(tenantId: string | null, userId: string): string {
		const prefix = tenantId === null ? 'ot' : 'ct';
		return `${prefix}_${this.parts.secret.derive(`token ${userId}`).slice(0, 40)}`;
	}
}
