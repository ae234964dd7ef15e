import fc from 'fast-check';
import { base64Of } from '../../nodes/Dossier/api/upload';

async function* pieces(list: Uint8Array[]) {
	for (const piece of list) yield await Promise.resolve(piece);
}

it('joins to the same base64, however the file is cut into pieces', async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 9 })), async (list) => {
			const encoded: Uint8Array[] = [];
			for await (const piece of base64Of(pieces(list))) encoded.push(piece);
			expect(Buffer.concat(encoded).toString()).toBe(Buffer.concat(list).toString('base64'));
		}),
	);
});
