/** The table of misbehaviours. */
import { broken, silent } from './connections.mts';
import { content } from './content.mts';
import { files } from './files.mts';
import { refusals } from './limits.mts';
import { lists } from './lists.mts';
import type { Misbehaviour } from './misbehaviour.mts';
import { transport } from './transport.mts';
import { uploading } from './uploading.mts';

/** The row beside which all others are seen: nothing is wrong with the service. */
export const BEHAVES = 'behaves';

export const misbehaviours: Misbehaviour[] = [
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
