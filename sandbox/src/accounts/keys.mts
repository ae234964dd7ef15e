import { hash } from 'node:crypto';
import type { KeyCaller } from './caller.mts';
import { newId } from '../platform/ids.mts';
import { integer, text } from '../database/database.mts';
import type { Database, Row } from '../database/database.mts';
import { readPlanColumn } from './caller.mts';
import type { Secret } from '../platform/secret.mts';
import { Part } from '../platform/part.mts';

export type KeyKind = 'live' | 'test';

/** Every scope that an operation can ask for. */
export const allScopes = [
	'dossiers:read',
	'dossiers:write',
	'documents:read',
	'documents:write',
	'portal:read',
	'portal:write',
	'tasks:read',
	'tasks:write',
	'audit:read',
	'webhooks:read',
	'webhooks:write',
];

/** An API key in clear text, to be shown to the person who runs the sandbox. */
interface ApiKey {
	id: string;
	kind: KeyKind;
	key: string;
	scopes: string[];
	revoked: boolean;
}

/**
 * API keys. A key is derived from its id and the secret in the data folder, and only its SHA-256 is stored: a restart shows
 * the same keys, and nobody can read them from the database. A key that a person chose is stored in clear text.
 */
export class Keys extends Part<{ database: Database; secret: Secret }> {
	/**
	 * Creates a key of an organization for its live or its test data. `chosen`: the key itself. Throws a RangeError if that is the key of
	 * another organization.
	 */
	add(
		organizationId: string,
		kind: KeyKind,
		{ scopes = allScopes, chosen }: { scopes?: string[]; chosen?: string | undefined } = {},
	): ApiKey {
		if (chosen !== undefined && this.find(chosen)) {
			throw new RangeError(`Another organization has the ${kind} key.`);
		}
		const id = newId('key');
		const key = chosen ?? this.#derive(id, kind);
		this.parts.database.run(
			`INSERT INTO api_keys (id, dataset, key_hash, user_id, scopes, chosen)
			SELECT ?, n, ?, user_id, ?, ? FROM datasets WHERE organization_id = ? AND kind = ?`,
			[id, hash('sha256', key), scopes.join(' '), chosen ?? null, organizationId, kind],
		);
		return { id, kind, key, scopes, revoked: false };
	}

	/** The keys of an organization, the oldest first. */
	list(organizationId: string): ApiKey[] {
		const sql = `SELECT api_keys.*, kind FROM api_keys JOIN datasets ON n = dataset
			WHERE organization_id = ? ORDER BY api_keys.rowid`;
		return this.parts.database.all(sql, [organizationId]).map((row) => {
			const id = text(row.id);
			const kind = row.kind === 'live' ? 'live' : 'test';
			return {
				id,
				kind,
				key: row.chosen === null ? this.#derive(id, kind) : text(row.chosen),
				scopes: readScopes(row),
				revoked: row.revoked === 1,
			};
		});
	}

	/** Revokes a key. Gives false if there is none with this id. */
	revoke(id: string): boolean {
		return this.parts.database.run('UPDATE api_keys SET revoked = 1 WHERE id = ?', [id]) > 0;
	}

	/** The caller that a key names; nothing if the sandbox does not have this key. */
	find(key: string): { caller: KeyCaller; revoked: boolean } | undefined {
		const row = this.parts.database.get(
			`SELECT api_keys.*, organization_id, plan FROM api_keys JOIN datasets ON n = dataset
			JOIN organizations ON organizations.id = organization_id WHERE key_hash = ?`,
			[hash('sha256', key)],
		);
		if (!row) return undefined;
		const caller: KeyCaller = {
			kind: 'key',
			dataset: integer(row.dataset),
			organizationId: text(row.organization_id),
			plan: readPlanColumn(row),
			userId: text(row.user_id),
			keyId: text(row.id),
			scopes: readScopes(row),
		};
		return { caller, revoked: row.revoked === 1 };
	}

	#derive(id: string, kind: KeyKind): string {
		return `sk_${kind}_${this.parts.secret.derive(id).slice(0, 40)}`;
	}
}

function readScopes(row: Row): string[] {
	return text(row.scopes).split(' ').filter(Boolean);
}
