/** A check of the service, which reports a misbehavior instead of failing by it. */
import type { Job } from './job.mts';

export const checkContract: Job = {
	operation: 'service/checkContract',
	parameters: { tryWriting: true },
	calls: [
		'dossiers.list',
		'dossiers.create',
		'dossiers.delete',
		'documents.upload',
		'documents.list',
		'documents.download',
		'audit.list',
	],
	single: true,
	gives: () => true,
};
