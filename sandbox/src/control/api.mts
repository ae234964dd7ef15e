import { clockRoutes } from './clock.mts';
import { deliveryRoutes } from './deliveries.mts';
import { faultRoutes } from './faults.mts';
import { journalRoutes } from './journal.mts';
import { createSection } from './operation.mts';
import { organizationRoutes } from './organizations.mts';
import { sandboxRoutes } from './sandbox.mts';
import { stateRoutes } from './state.mts';
import { switchRoutes } from './switches.mts';
import { webhookRoutes } from './webhooks.mts';

/** Every operation of the control room, at its path below `/_sandbox/api`. */
export const controlApi = createSection()
	.route('/', sandboxRoutes)
	.route('/', organizationRoutes)
	.route('/', clockRoutes)
	.route('/', switchRoutes)
	.route('/', faultRoutes)
	.route('/', stateRoutes)
	.route('/', journalRoutes)
	.route('/', webhookRoutes)
	.route('/', deliveryRoutes);

export type ControlApi = typeof controlApi;
