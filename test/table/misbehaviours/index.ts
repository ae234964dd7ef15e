/** The table of misbehaviours. */
import { broken, silent } from './connections';
import { content } from './content';
import { files } from './files';
import { refusals } from './limits';
import { lists } from './lists';
import type { Misbehaviour } from './misbehaviour';
import { transport } from './transport';
import { uploading } from './uploading';

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
