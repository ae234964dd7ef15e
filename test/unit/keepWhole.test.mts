import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { keepWhole } from '../../nodes/Dossier/api/transfer/resume';
import type { WholeBody } from '../../nodes/Dossier/api/transfer/resume';

const PIECE = Buffer.alloc(1_000);

/** A body of some pieces, which then breaks if there is an error. */
function createBody(count: number, error?: Error): WholeBody {
	async function* pieces() {
		for (let n = 0; n < count; n++) yield await Promise.resolve(PIECE);
		if (error) throw error;
	}
	return { pieces: pieces(), close: () => undefined };
}

const full = () => Object.assign(new Error('no space left'), { code: 'ENOSPC' });

/** Stores a stream on a disk with room for some bytes, through a stream. */
const pipeInto = (room: number) => async (content: Readable) => {
	let left = room;
	const disk = new Writable({
		write: (piece: Buffer, _, done) => {
			left -= piece.length;
			done(left < 0 ? full() : null);
		},
	});
	await pipeline(content, disk);
	return room - left;
};

/** The same, piece by piece, as `writeFile` does and n8n with it. */
const writeInto = (room: number) => async (content: Readable) => {
	let left = room;
	for await (const piece of content as AsyncIterable<Buffer>) {
		left -= piece.length;
		if (left < 0) throw full();
	}
	return room - left;
};

describe.each([
	['through a stream', pipeInto],
	['piece by piece', writeInto],
])('A body that is stored %s', (_, storeIn) => {
	it('fails with the reason of the storage if it cannot be stored', async () => {
		for (const room of [0, 500, 3_500, 60_000]) {
			const storing = keepWhole(createBody(100), new Readable(), storeIn(room));
			await expect(storing).rejects.toMatchObject({ code: 'ENOSPC' });
		}
	});

	it('fails with the reason of the break if it breaks', async () => {
		const broken = new Error('broken off');
		const storing = keepWhole(createBody(3, broken), new Readable(), storeIn(1e6));
		await expect(storing).rejects.toBe(broken);
	});

	it('is there if it is whole', async () => {
		expect(await keepWhole(createBody(3), new Readable(), storeIn(1e6))).toBe(3_000);
	});
});
