import { createHmac, hash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '../ids.ts';
import { integer, text } from './database.ts';
import type { Database, Row } from './database.ts';

export type Plan = 'business' | 'enterprise';
export type KeyKind = 'live' | 'test';

/** An organization of the sandbox with its keys in clear text, to be shown to the person who runs it. */
export interface SeededOrganization {
	id: string;
	name: string;
	plan: Plan;
	liveKey: string;
	testKey: string;
}

/** Whom a key belongs to, and which data it sees. */
export interface KeyHolder {
	organizationId: string;
	plan: Plan;
	kind: KeyKind;
	dataset: number;
	/** The user in whose name the key acts: `created_by`, `uploaded_by`. */
	userId: string;
}

/**
 * Organizations and their keys. A key is derived from the secret in the data folder and stored as its SHA-256 alone, so a
 * restart shows the same keys and the database gives none away.
 */
export class Organizations {
	readonly #database: Database;
	readonly #secret: Buffer;

	constructor(database: Database, dataDir: string) {
		this.#database = database;
		this.#secret = secretIn(dataDir);
	}

	/** The Enterprise and the Business organization that every sandbox has, made on the first start. */
	seeded(): SeededOrganization[] {
		const known = this.#database.all(
			'SELECT * FROM organizations WHERE seeded = 1 ORDER BY plan DESC',
			[],
		);
		if (known.length > 0) return known.map((row) => this.#describe(row));
		return [this.#create('enterprise', 1), this.#create('business', 1)];
	}

	/** A further organization with keys and no data. */
	create(plan: Plan): SeededOrganization {
		return this.#create(plan, 0);
	}

	#create(plan: Plan, seeded: 0 | 1): SeededOrganization {
		const id = newId('org');
		const name = plan === 'enterprise' ? 'Enterprise Organization' : 'Business Organization';
		this.#database.transaction(() => {
			this.#database.run('INSERT INTO organizations (id, name, plan, seeded) VALUES (?, ?, ?, ?)', [
				id,
				name,
				plan,
				seeded,
			]);
			for (const kind of ['live', 'test'] as const) {
				this.#database.run(
					'INSERT INTO datasets (organization_id, kind, key_hash, user_id) VALUES (?, ?, ?, ?)',
					[id, kind, hash('sha256', this.#key(id, kind)), newId('usr')],
				);
			}
		});
		return this.#describe({ id, name, plan });
	}

	#describe(row: Row): SeededOrganization {
		const id = text(row.id);
		return {
			id,
			name: text(row.name),
			plan: planOf(row),
			liveKey: this.#key(id, 'live'),
			testKey: this.#key(id, 'test'),
		};
	}

	#key(organizationId: string, kind: KeyKind): string {
		const secret = createHmac('sha256', this.#secret).update(`${organizationId} ${kind}`);
		return `sk_${kind}_${secret.digest('hex').slice(0, 40)}`;
	}

	/** Whom a key belongs to, or nothing when it is no key of this sandbox. */
	holderOf(key: string): KeyHolder | undefined {
		const row = this.#database.get(
			`SELECT datasets.*, organizations.plan FROM datasets
			JOIN organizations ON organizations.id = organization_id WHERE key_hash = ?`,
			[hash('sha256', key)],
		);
		if (!row) return undefined;
		return {
			organizationId: text(row.organization_id),
			plan: planOf(row),
			kind: row.kind === 'live' ? 'live' : 'test',
			dataset: integer(row.n),
			userId: text(row.user_id),
		};
	}
}

function planOf(row: Row): Plan {
	return row.plan === 'enterprise' ? 'enterprise' : 'business';
}

function secretIn(dataDir: string): Buffer {
	const file = join(dataDir, 'key-secret');
	if (!existsSync(file)) {
		writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' });
	}
	return Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
}
