import type { components } from '../../../contract/generated/types.mts';
import { newId } from '../platform/ids.mts';
import type { JsonObject } from '../platform/json.mts';
import { text } from '../database/database.mts';
import type { Database, Row } from '../database/database.mts';
import type { Clock } from '../platform/clock.mts';
import { Part } from '../platform/part.mts';

type BusinessUnit = components['schemas']['BusinessUnit'];

/** The tenants: one for each organization, each with its business units. */
export class Tenants extends Part<{ database: Database; clock: Clock }> {
	/** Creates the tenant of an organization, with two business units. Gives the id of the tenant. */
	add(organizationId: string, name: string): string {
		const id = newId('ten');
		const created_at = this.parts.clock.iso();
		this.parts.database.insert('tenants', {
			id,
			organization_id: organizationId,
			name,
			created_at,
		});
		for (const unit of ['Head Office', 'Branch Office']) {
			this.parts.database.insert('business_units', { id: newId('bu'), tenant_id: id, name: unit });
		}
		return id;
	}

	/** The tenant of an organization. */
	findByOrganization(organizationId: string): { id: string; name: string } {
		const row = this.parts.database.get('SELECT * FROM tenants WHERE organization_id = ?', [
			organizationId,
		]);
		return { id: text(row?.id), name: text(row?.name) };
	}

	/** The organization of a tenant, or nothing if there is no such tenant. */
	findOrganization(tenantId: string): string | undefined {
		const row = this.parts.database.get('SELECT organization_id FROM tenants WHERE id = ?', [
			tenantId,
		]);
		return row && text(row.organization_id);
	}

	/** The business units of a tenant, in the order in which they were created. */
	listBusinessUnits(tenantId: string): BusinessUnit[] {
		return this.parts.database
			.all('SELECT * FROM business_units WHERE tenant_id = ? ORDER BY rowid', [tenantId])
			.map((row) => ({ id: text(row.id), name: text(row.name) }));
	}

	/** A tenant as an operator sees it. */
	readFields(row: Row): JsonObject {
		const { id, name, organization_id, created_at } = row;
		const organization = this.parts.database.get('SELECT plan FROM organizations WHERE id = ?', [
			text(organization_id),
		]);
		return {
			id: text(id),
			name: text(name),
			organization_id: text(organization_id),
			plan: text(organization?.plan),
			business_units: this.listBusinessUnits(text(id)).map((unit) => ({ ...unit })),
			created_at: text(created_at),
		};
	}
}
