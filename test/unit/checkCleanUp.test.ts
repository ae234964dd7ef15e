/** What Check Contract deletes, and what it shows of a refusal. */
import type { Asker } from '../../nodes/Dossier/resources/service/check/ask';
import { cleanUp } from '../../nodes/Dossier/resources/service/check/cleanUp';
import {
	createNotes,
	startDraft,
	startMaking,
} from '../../nodes/Dossier/resources/service/check/notes';
import { describeRefusal } from '../../nodes/Dossier/resources/service/check/refusals';

const see = (status: number, body: unknown) => ({
	status,
	headers: {},
	body,
	bytes: Buffer.from(JSON.stringify(body)),
});

it('deletes only documents with its own name if it does not know the id of an upload', async () => {
	const making = startMaking();
	making.made.dossiers.push('9');
	const listed = {
		data: [{ id: 41, file_name: `${making.made.tag}-1.txt` }],
		included: [{ id: 7, type: 'users' }],
	};
	const sent: string[] = [];
	const asker: Asker = {
		ask: async () => await Promise.resolve(undefined),
		open: async () => await Promise.resolve(undefined),
		tidyUp: async (name, { id = '' }) => {
			sent.push(`${name} ${id}`);
			return await Promise.resolve(
				see(200, name === 'documents.list' ? listed : { deleted: true }),
			);
		},
		spent: 0,
		created: { 'dossiers.create': 1, 'documents.upload': 1, 'tasks.create': 0 },
		headers: {},
	};
	const left = await cleanUp({ asker, notes: createNotes(), draft: startDraft({}), ...making });
	expect(left).toEqual([]);
	expect(sent.filter((one) => one.includes('delete'))).toEqual([
		'documents.delete 41',
		'dossiers.delete 9',
	]);
});

it('shows no part of a key that a refusal repeats', () => {
	const refusal = see(401, { message: 'sk_live_abc-def.ghi is unknown' });
	expect(describeRefusal(refusal)).toBe('401 {"message": "sk_… is unknown"}');
});
