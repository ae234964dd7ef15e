import { newId } from '../platform/ids.mts';
import { integer, text } from '../database/database.mts';
import type { Database, Row } from '../database/database.mts';
import type { KeyKind, Keys } from './keys.mts';
import { readPlanColumn } from './caller.mts';
import type { Plan } from './caller.mts';
import type { Tenants } from './tenants.mts';
import type { Tokens } from './tokens.mts';
import { Part } from '../platform/part.mts';

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
	customerToken: string;
}

/** The values that a person may choose for a new organization; the others are made up. */
interface ChosenKeys {
	id?: string | undefined;
	live?: string | undefined;
	test?: string | undefined;
}

interface OrganizationParts {
	database: Database;
	keys: Keys;
	tenants: Tenants;
	tokens: Tokens;
}

/** Organizations, each with its live and its test data. */
export class Organizations extends Part<OrganizationParts> {
	/** The Enterprise and the Business organization that every sandbox has. The first start creates them. */
	seeded(): SeededOrganization[] {
		const known = this.parts.database.all(
			'SELECT * FROM organizations WHERE seeded = 1 ORDER BY plan DESC',
			[],
		);
		if (known.length > 0) return known.map((row) => this.#describe(row));
		const plans = ['enterprise', 'business'] as const;
		return plans.map((plan) => this.create(plan, undefined, {}, 1));
	}

	/** Every organization, the oldest first. */
	all(): SeededOrganization[] {
		const rows = this.parts.database.all('SELECT * FROM organizations ORDER BY rowid', []);
		return rows.map((row) => this.#describe(row));
	}

	/** A further organization with keys and no data. Throws a RangeError if a chosen key is that of another organization. */
	create(
		plan: Plan,
		name = `${plan.charAt(0).toUpperCase()}${plan.slice(1)} Organization`,
		chosen: ChosenKeys = {},
		seeded: 0 | 1 = 0,
	): SeededOrganization {
		const { database, keys, tenants, tokens } = this.parts;
		const id = chosen.id ?? newId('org');
		database.transaction(() => {
			database.insert('organizations', { id, name, plan, seeded });
			for (const kind of ['live', 'test'] as const) {
				database.insert('datasets', { organization_id: id, kind, user_id: newId('usr') });
				keys.add(id, kind, { chosen: chosen[kind] });
			}
			tokens.addCustomer(tenants.add(id, name));
		});
		return this.#describe({ id, name, plan });
	}

	/** Throws a RangeError if there is none with this id. */
	find(id: string): SeededOrganization {
		const row = this.parts.database.get('SELECT * FROM organizations WHERE id = ?', [id]);
		if (!row) throw new RangeError(`There is no organization ${id}.`);
		return this.#describe(row);
	}

	/** Changes the plan of an organization. Throws a RangeError if there is none with this id. */
	setPlan(id: string, plan: Plan): SeededOrganization {
		this.parts.database.run('UPDATE organizations SET plan = ? WHERE id = ?', [plan, id]);
		return this.find(id);
	}

	/** The data that one kind of key of an organization sees, and the user of that data. Throws a RangeError if there is none. */
	dataset(organizationId: string, kind: KeyKind): { n: number; userId: string } {
		const sql = 'SELECT n, user_id FROM datasets WHERE organization_id = ? AND kind = ?';
		const row = this.parts.database.get(sql, [organizationId, kind]);
		if (!row) throw new RangeError(`There is no organization ${organizationId}.`);
		return { n: integer(row.n), userId: text(row.user_id) };
	}

	#describe(row: Row): SeededOrganization {
		const id = text(row.id);
		const keys = this.parts.keys.list(id);
		const tenantId = this.parts.tenants.findByOrganization(id).id;
		const first = (kind: string) => keys.find((one) => one.kind === kind)?.key ?? '';
		return {
			id,
			name: text(row.name),
			plan: readPlanColumn(row),
			liveKey: first('live'),
			testKey: first('test'),
			tenantId,
			businessUnitId: this.parts.tenants.listBusinessUnits(tenantId)[0]?.id ?? '',
			customerToken: this.parts.tokens.customerToken(tenantId),
		};
	}
}
