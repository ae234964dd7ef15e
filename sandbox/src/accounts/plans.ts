import type { Row } from '../database/database.ts';

/** `starter` represents every plan below Business. */
export const plans = ['starter', 'business', 'enterprise'] as const;

export type Plan = (typeof plans)[number];

/** How many requests an organization may send. */
export interface Limits {
	perMinute: number;
	perHour: number;
}

/** The limits of each plan. A plan below Business gets 403 for every request. */
export const planLimits: Record<Plan, Limits> = {
	starter: { perMinute: 100, perHour: 1000 },
	business: { perMinute: 100, perHour: 1000 },
	enterprise: { perMinute: 500, perHour: 10_000 },
};

/** The plan in a row of an organization. */
export function readPlan({ plan }: Row): Plan {
	return plan === 'enterprise' || plan === 'business' ? plan : 'starter';
}
