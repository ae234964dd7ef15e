import { SILENCE, well } from './misbehaviour';
import type { Misbehaviour } from './misbehaviour';

/** Answers that are whole but travel in an unusual way. */
export const transport: Misbehaviour[] = [
	{
		name: 'compresses with gzip',
		times: Infinity,
		plan: () => ({ delivery: { coding: 'gzip' } }),
		ends: well,
	},
	{
		name: 'compresses with brotli',
		times: Infinity,
		plan: () => ({ delivery: { coding: 'br' } }),
		ends: well,
	},
	{
		name: 'compresses without a length',
		times: Infinity,
		plan: () => ({ delivery: { coding: 'gzip', chunked: true } }),
		ends: well,
	},
	{
		name: 'sends pieces of 1 byte',
		times: Infinity,
		plan: () => ({ delivery: { piece: 1, pieces: 300 } }),
		ends: well,
	},
	{
		name: 'sends pieces of 16 kB without a length',
		times: Infinity,
		plan: () => ({ delivery: { piece: 16_384, chunked: true } }),
		ends: well,
	},
	{
		name: 'drips for longer than the timeout',
		times: Infinity,
		costs: 'time',
		plan: () => ({ delivery: { piece: 3, pieces: 6, pause: SILENCE * 220 } }),
		ends: well,
		options: { timeout: SILENCE },
	},
	{
		name: 'sends early hints before the answer',
		times: Infinity,
		plan: () => ({ earlyHints: true }),
		ends: well,
	},
];
