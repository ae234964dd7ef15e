import type { Resource } from '../execution/operation';
import { administration } from './administration';
import { auditLog } from './auditLog';
import { document } from './document';
import { dossier } from './dossier';
import { portalSignIn } from './portalSignIn';
import { portalUser } from './portalUser';
import { service } from './service';
import { task } from './task';
import { workspace } from './workspace';

/** All resources of the node, the most used first. */
export const resources: Resource[] = [
	document,
	dossier,
	portalUser,
	task,
	auditLog,
	portalSignIn,
	service,
	workspace,
	administration,
];
