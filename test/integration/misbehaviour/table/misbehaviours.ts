/** The table of misbehaviours. */
import { broken } from './connections';
import { content } from './content';
import { refusals } from './limits';
import type { Misbehaviour } from './misbehaviour';
import { silent } from './silence';
import { transport } from './transport';
import { uploading } from './uploading';

export const misbehaviours: Misbehaviour[] = [
	...transport,
	...broken,
	...silent,
	...refusals,
	...content,
	...uploading,
];
