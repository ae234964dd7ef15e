/** Files that a Code node makes: base64 in `data`, and what it may give by mistake. */
import { carry, uploadTo } from './requests.mts';
import { runDossier } from './n8n.mts';
import { useService } from './service.mts';

const service = useService();
let dossierId: string;

beforeAll(async () => {
	dossierId = (await service.create('/dossiers', { title: 'Made' })).id as string;
});

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Uploads what a Code node has put into the field `data`. */
const uploadMade = async (field: unknown, filesFrom: 'all' | 'named') =>
	await runDossier({
		parameters: uploadTo(dossierId, { filesFrom, ifExists: 'upload' }),
		credential: service.credential,
		items: [carry('note.txt')],
		before: async ([item]) => {
			await Promise.resolve(Object.assign(item ?? {}, { binary: { data: field } }));
		},
	});

const note = (data: unknown) => ({ data, mimeType: 'text/plain', fileName: 'note.txt' });

it.each([
	['with broken lines', `${base64('Hel')}\r\n  ${base64('lo')}\n`],
	['without padding', 'SGVsbG8'],
	['in the alphabet of addresses', Buffer.from([251, 255, 254]).toString('base64url')],
	['of no bytes', ''],
])('Takes base64 %s', async (_, data) => {
	const { items, error } = await uploadMade(note(data), 'named');
	expect(error).toBeUndefined();
	expect(items[0]?.json.size_bytes).toBe(Buffer.from(data, 'base64').length);
});

it.each([
	['a text with spaces', note('Hello world'), 'note.txt'],
	['a text that is too short by a sign', note('Hello'), 'note.txt'],
	['a sentence', note('Hello world, this is a note!'), 'note.txt'],
	['the address of data', note(`data:text/plain;base64,${base64('Hello')}`), 'note.txt'],
	['bytes', note(Buffer.from('Hello')), 'data'],
	['nothing', note(undefined), 'data'],
	['text in place of the field', base64('Hello'), 'data'],
	['null in place of the field', null, 'data'],
])('Refuses %s before anything is sent, and says what to give', async (_, field, name) => {
	for (const filesFrom of ['all', 'named'] as const) {
		const { items, error } = await uploadMade(field, filesFrom);
		expect(items).toEqual([]);
		expect(error?.message).toBe(`The content of "${name}" cannot be read: it is not base64`);
		expect(error?.description).toContain('Buffer.from(text).toString("base64")');
	}
});
