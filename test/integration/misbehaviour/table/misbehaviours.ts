/** The table of misbehaviours. */
import { broken } from './connections';
import { content } from './content';
import { files } from './files';
import { refusals } from './limits';
import { lists } from './lists';
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
	...lists,
	...files,
	...uploading,
];
