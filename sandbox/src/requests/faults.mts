import type { components } from '../../../contract/generated/control.mts';
import { FaultRegistry } from '../platform/fault-registry.mts';

/** Which requests a fault strikes, and what happens to them. */
export type FaultPlan = components['schemas']['FaultPlan'];

/** The parts of a request that faults match. */
export interface FaultTarget {
	operation: string | undefined;
	/** The identifier in the path: the service's own, and as the caller sent it. */
	ids: string[];
	organizationId: string | undefined;
	/** By lower-case name. */
	headers: Record<string, string | string[] | undefined>;
}

/** Faults of requests. If several match a request, only the oldest of those that strike takes effect. */
export class RequestFaults extends FaultRegistry<FaultPlan> {
	/** The fault that strikes a request, if there is one. */
	select(target: FaultTarget): FaultPlan | undefined {
		for (const plan of this.strike((one) => matches(one, target))) return plan;
		return undefined;
	}
}

function matches(plan: FaultPlan, { operation, ids, organizationId, headers }: FaultTarget) {
	const isSent = ([name, value]: [string, string]) => {
		const sent = headers[name.toLowerCase()];
		return sent !== undefined && (value === '*' || String(sent) === value);
	};
	return (
		(plan.operation === '*' || plan.operation === operation) &&
		(plan.id === undefined || ids.includes(plan.id)) &&
		(plan.organization_id === undefined || plan.organization_id === organizationId) &&
		Object.entries(plan.request_headers ?? {}).every(isSent)
	);
}
