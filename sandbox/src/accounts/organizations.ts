import { newId } from '../platform/ids.ts';
import { integer, text } from '../database/database.ts';
import type { Database, Row } from '../database/database.ts';
import type { KeyKind, Keys } from './keys.ts';
import { readPlan } from './plans.ts';
import type { Plan } from './plans.ts';
import type { Tenants } from './tenants.ts';
import type { Tokens } from './tokens.ts';

/** An organization of the sandbox with its keys in clear text, to be shown to the person who runs it. */
export interface SeededOrganization {
	id: string;
	name: string;
	plan: Plan;
	liveKey: string;
	testKey: string;
	tenantId: string;
	/** The first business unit of the tenant. */
	businessUnitId: string;
	/** The token of the tenant's user. */
	customerToken: string;
}

/** What a person chooses for a new organization; the rest is made up. */
interface ChosenKeys {
	id?: string | undefined;
	live?: string | undefined;
	test?: string | undefined;
}

/** Organizations, each with its live and its test data. */
export class Organizations {
	readonly #database: Database;
	readonly #keys: Keys;
	readonly #tenants: Tenants;
	readonly #tokens: Tokens;

	constructor(database: Database, keys: Keys, tenants: Tenants, tokens: Tokens) {
		this.#database = database;
		this.#keys = keys;
		this.#tenants = tenants;
		this.#tokens = tokens;
	}

	/** The Enterprise and the Business organization that every sandbox has. The first start creates them. */
	seeded(): SeededOrganization[] {
		const known = this.#database.all(
			'SELECT * FROM organizations WHERE seeded = 1 ORDER BY plan DESC',
			[],
		);
		if (known.length > 0) return known.map((row) => this.#describe(row));
		return [
			this.#create('enterprise', 'Enterprise Organization', 1),
			this.#create('business', 'Business Organization', 1),
		];
	}

	/** Every organization, the oldest first. */
	all(): SeededOrganization[] {
		const rows = this.#database.all('SELECT * FROM organizations ORDER BY rowid', []);
		return rows.map((row) => this.#describe(row));
	}

	/** A further organization with keys and no data. Throws a RangeError if a chosen key is that of another organization. */
	create(
		plan: Plan,
		name = `${plan.charAt(0).toUpperCase()}${plan.slice(1)} Organization`,
		chosen: ChosenKeys = {},
	): SeededOrganization {
		return this.#create(plan, name, 0, chosen);
	}

	/** Throws a RangeError if there is none with this id. */
	find(id: string): SeededOrganization {
		const row = this.#database.get('SELECT * FROM organizations WHERE id = ?', [id]);
		if (!row) throw new RangeError(`There is no organization ${id}.`);
		return this.#describe(row);
	}

	/** Changes the plan of an organization. Throws a RangeError if there is none with this id. */
	setPlan(id: string, plan: Plan): SeededOrganization {
		this.#database.run('UPDATE organizations SET plan = ? WHERE id = ?', [plan, id]);
		return this.find(id);
	}

	/** The data that one kind of key of an organization sees, and the user of that data. Throws a RangeError if there is none. */
	dataset(organizationId: string, kind: KeyKind): { n: number; userId: string } {
		const sql = 'SELECT n, user_id FROM datasets WHERE organization_id = ? AND kind = ?';
		const row = this.#database.get(sql, [organizationId, kind]);
		if (!row) throw new RangeError(`There is no organization ${organizationId}.`);
		return { n: integer(row.n), userId: text(row.user_id) };
	}

	#create(plan: Plan, name: string, seeded: 0 | 1, chosen: ChosenKeys = {}): SeededOrganization {
		const id = chosen.id ?? newId('org');
		this.#database.transaction(() => {
			this.#database.run('INSERT INTO organizations (id, name, plan, seeded) VALUES (?, ?, ?, ?)', [
				id,
				name,
				plan,
				seeded,
			]);
			for (const kind of ['live', 'test'] as const) {
				this.#database.run(
					'INSERT INTO datasets (organization_id, kind, user_id) VALUES (?, ?, ?)',
					[id, kind, newId('usr')],
				);
				this.#keys.add(id, kind, { chosen: chosen[kind] });
			}
			this.#tokens.addCustomer(this.#tenants.add(id, name));
		});
		return this.#describe({ id, name, plan });
	}

	#describe(row: Row): SeededOrganization {
		const id = text(row.id);
		const keys = this.#keys.list(id);
		const tenantId = this.#tenants.findByOrganization(id).id;
		const first = (kind: string) => keys.find((one) => one.kind === kind)?.key ?? '';
		return {
			id,
			name: text(row.name),
			plan: readPlan(row),
			liveKey: first('live'),
			testKey: first('test'),
			tenantId,
			businessUnitId: this.#tenants.listBusinessUnits(tenantId)[0]?.id ?? '',
			customerToken: this.#tokens.customerToken(tenantId),
		};
	}
}
