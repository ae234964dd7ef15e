import { SILENCE } from './misbehavior.mts';
import type { Misbehavior } from './misbehavior.mts';

/** Answers that are whole but travel in an unusual way. */
export const transport: Misbehavior[] = [
	{
		name: 'compresses with gzip',
		plan: () => ({ delivery: { coding: 'gzip' } }),
	},
	{
		name: 'compresses with brotli',
		plan: () => ({ delivery: { coding: 'br' } }),
	},
	{
		name: 'compresses without a length',
		plan: () => ({ delivery: { coding: 'gzip', chunked: true } }),
	},
	{
		name: 'sends pieces of 1 byte',
		plan: () => ({ delivery: { piece: 1, pieces: 300 } }),
	},
	{
		name: 'sends pieces of 16 kB without a length',
		plan: () => ({ delivery: { piece: 16_384, chunked: true } }),
	},
	{
		name: 'drips for longer than the timeout',
		costs: 'time',
		plan: () => ({ delivery: { piece: 3, pieces: 6, pause: SILENCE * 220 } }),
		options: { timeout: SILENCE },
	},
	{
		name: 'sends early hints before the answer',
		plan: () => ({ earlyHints: true }),
	},
];
