import type { RequestContext, Caller, OperatorCaller, Origin } from './caller.mts';
import { ServiceError, validationError } from '../contract/service-error.mts';
import { readText } from '../platform/json.mts';
import type { JsonObject } from '../platform/json.mts';
import type { Audit } from './audit.mts';
import { integer, text } from '../database/database.mts';
import type { Database } from '../database/database.mts';
import type { Tenants } from './tenants.mts';
import { Part } from '../platform/part.mts';

/** The feature that each operation needs. A feature is on until a flag switches it off. */
const featureByOperation: Record<string, string> = {
	'portal.invite': 'portal_invites',
	'portal.inviteQr': 'portal_qr_invites',
	'audit.export': 'audit_log_export',
	'workspace.documents.create': 'workspace_writes',
	'workspace.dossiers.update': 'workspace_writes',
};

/** Where a flag applies: in a tenant, or in one of its business units. */
interface Place {
	tenantId: string;
	businessUnitId?: string;
}

interface FeatureFlagParts {
	database: Database;
	tenants: Tenants;
	audit: Audit;
}

/** Feature flags for all tenants, for one, or for one business unit. The narrowest flag wins. */
export class FeatureFlags extends Part<FeatureFlagParts> {
	/** Throws 403 `FEATURE_DISABLED` if the operation needs a feature that is switched off for the caller. */
	assertEnabled(operationId: string | undefined, caller: Caller): void {
		const key = featureByOperation[operationId ?? ''];
		if (key === undefined || caller.kind === 'public' || caller.kind === 'operator') return;
		const place =
			caller.kind === 'customer'
				? caller
				: { tenantId: this.parts.tenants.findByOrganization(caller.organizationId).id };
		if (this.read(place).get(key) !== false) return;
		throw new ServiceError(
			'FEATURE_DISABLED',
			`The feature ${key} is switched off. Ask the operator of the service to switch it on.`,
		);
	}

	/** Whether each feature is on in a place: those that an operation needs, and those that somebody set. */
	read({ tenantId, businessUnitId }: Place): Map<string, boolean> {
		const flags = new Map(Object.values(featureByOperation).map((key) => [key, true]));
		const rows = this.parts.database.all(
			`SELECT key, enabled FROM feature_flags
			WHERE ifnull(tenant_id, ?) = ? AND ifnull(business_unit_id, ?) = ?
			ORDER BY tenant_id IS NOT NULL, business_unit_id IS NOT NULL`,
			[tenantId, tenantId, businessUnitId ?? '', businessUnitId ?? ''],
		);
		for (const { key, enabled } of rows) flags.set(text(key), enabled === 1);
		return flags;
	}

	/**
	 * Sets a flag, and gives it as the contract describes it. Throws 404 `TENANT_NOT_FOUND`, and 422
	 * `VALIDATION_ERROR` for a business unit that is not the tenant's, or without its tenant.
	 */
	set(operator: OperatorCaller, origin: Origin, input: JsonObject): JsonObject {
		const [tenantId, unitId] = [readText(input.tenant_id), readText(input.business_unit_id)];
		const organizationId = this.#resolveOrganization(tenantId, unitId);
		const key = readText(input.key) ?? '';
		const enabled = input.enabled === true;
		const { database, audit } = this.parts;
		return database.transaction(() => {
			const flag = { key, tenant_id: tenantId, business_unit_id: unitId };
			const before = database.get(
				`DELETE FROM feature_flags WHERE key = ? AND tenant_id IS ? AND business_unit_id IS ?
				RETURNING enabled`,
				Object.values(flag),
			);
			database.insert('feature_flags', { ...flag, enabled: enabled ? 1 : 0 });
			const { userId, userName } = operator;
			const actor = { type: 'operator', id: userId, name: userName } as const;
			const changes = { enabled: { ...(before && { from: before.enabled === 1 }), to: enabled } };
			for (const dataset of this.#findDatasets(organizationId)) {
				const context: RequestContext = { ...origin, dataset, userId, actor };
				const target = { type: 'feature_flag', id: key, label: key } as const;
				audit.record(context, 'feature_flag.set', target, changes);
			}
			return { ...flag, enabled };
		});
	}

	/** The live data of the organization that a flag is for, or of all. */
	#findDatasets(organizationId: string | null): number[] {
		const sql = `SELECT n FROM datasets WHERE kind = 'live' AND ifnull(?, organization_id) = organization_id`;
		return this.parts.database.all(sql, [organizationId]).map(({ n }) => integer(n));
	}

	#resolveOrganization(tenantId: string | null, unitId: string | null): string | null {
		if (tenantId === null) {
			if (unitId === null) return null;
			const message = 'A business unit needs its tenant beside it. Send tenant_id as well.';
			throw validationError('business_unit_id', 'needs_tenant', message);
		}
		const organizationId = this.parts.tenants.findOrganization(tenantId);
		if (organizationId === undefined) {
			throw new ServiceError(
				'TENANT_NOT_FOUND',
				'There is no tenant with this id. Check tenant_id.',
			);
		}
		if (
			unitId !== null &&
			!this.parts.tenants.listBusinessUnits(tenantId).some(({ id }) => id === unitId)
		) {
			const message = 'The tenant has no business unit with this id.';
			throw validationError('business_unit_id', 'not_found', message);
		}
		return organizationId;
	}
}
