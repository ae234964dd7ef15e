/** One array is allocated for this many bytes of files, with this many elements of 8 bytes: three times as much garbage as file. */
const SHARE = 20_480;
const ELEMENTS = 8_000;

/** Keeps the last array, so that the compiler cannot drop its allocation, and the bytes since then. */
const state: { garbage?: unknown[]; due: number } = { due: 0 };

/**
 * Allocates garbage in proportion to the bytes of files that pass through memory, so that V8's young-generation
 * collection frees their buffers.
 *
 * V8 frees buffers in a young-generation collection (about 1 ms), which runs when up to 64 MB of objects were allocated, and in a
 * full collection (20 to 100 ms in n8n), which runs after every 30 MB or so of buffers. A file in pieces allocates few objects,
 * so full collections come first, and n8n spends most of its time in them. With this garbage the young-generation
 * collection comes first (measured in Node.js 24 beside a million objects: half of the CPU time, and no full collection).
 */
export function nudgeScavenger(bytes: number): void {
	state.due += bytes;
	for (; state.due >= SHARE; state.due -= SHARE) state.garbage = new Array(ELEMENTS);
}
