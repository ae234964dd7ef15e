/** The table of misbehaviors. */
import { broken, silent } from './connections.mts';
import { content } from './content.mts';
import { files } from './files.mts';
import { refusals } from './limits.mts';
import { lists } from './lists.mts';
import type { Misbehavior } from './misbehavior.mts';
import { transport } from './transport.mts';
import { uploading } from './uploading.mts';

/** The row beside which all others are seen: nothing is wrong with the service. */
export const BEHAVES = 'behaves';

export const misbehaviors: Misbehavior[] = [
	{ name: BEHAVES, plan: () => ({}) },
	...transport,
	...broken,
	...silent,
	...refusals,
	...content,
	...lists,
	...files,
	...uploading,
];
