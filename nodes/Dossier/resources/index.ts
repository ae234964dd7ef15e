import type { Resource } from '../operation';
import { document } from './document';
import { dossier } from './dossier';

/** Everything that the node offers; a resource or an operation that is not reached from here does not exist. */
export const resources: Resource[] = [document, dossier];
