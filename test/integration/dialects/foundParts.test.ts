/** Parts of a dialect that Check Contract finds although they are easily missed. */
import axios from 'axios';
import type { Dialect } from '../../../sandbox/src/index.ts';
import { toText } from '../../../nodes/Dossier/api/values';
import { runDossier, useBinaryMode } from '../n8n';
import { startService } from '../service';
import type { Service } from '../service';

let service: Service;
let forget: () => Promise<void>;

beforeAll(async () => {
	forget = await useBinaryMode('default');
	service = await startService();
});

afterAll(async () => {
	await service.stop();
	await forget();
});

const rows: Array<[what: string, spoken: Dialect, found: Dialect]> = [
	[
		'the custom fields of a document that a strict service refuses',
		{ strict: true, document: { readOnly: ['custom_fields'] } },
		{ document: { readOnly: ['custom_fields'] } },
	],
	[
		'the title of a document that a service sets itself, without a refusal',
		{ document: { readOnly: ['title'] } },
		{ document: { readOnly: ['title'] } },
	],
	[
		'fields of an object of which a strict service shows only that it is null',
		{ strict: true, dossier: { fields: { contact: 'client' } } },
		{ dossier: { fields: { 'contact.name': 'client.name', 'contact.email': 'client.email' } } },
	],
	[
		'the word of a new record, though it is like none of this package',
		{ dossier: { values: { status: { open: 'neu' } } } },
		{ dossier: { values: { status: { open: 'neu' } } } },
	],
	[
		'the id of an entry whose actor has one too',
		{ auditEntry: { fields: { id: 'uid', actor: 'user' } } },
		{ auditEntry: { fields: { id: 'uid', 'actor.id': 'user.id' } } },
	],
	[
		'that a strict service cannot sort',
		{ strict: true, list: { sort: null, order: null } },
		{ list: { sort: null, order: null } },
	],
	[
		'the JSON part of a form, by a value six objects deep',
		{
			strict: true,
			record: { envelope: 'data.{kind}', attributes: 'fields' },
			upload: { format: 'multipart', fieldsIn: 'metadata' },
			document: { fields: { category: 'info.more.document_type' } },
		},
		{ upload: { format: 'multipart', fieldsIn: 'metadata' } },
	],
	[
		'the JSON part of a form that must state the kind of record, by its second likely name',
		{
			record: { typeIn: 'about.kind' },
			upload: { format: 'multipart', fieldsIn: 'json' },
		},
		{ record: { typeIn: 'about.kind' }, upload: { fieldsIn: 'json' } },
	],
	[
		'the name of a file by the header of its part',
		{
			upload: { format: 'multipart' },
			document: { fields: { title: 'description', file_name: 'name' } },
		},
		{ document: { fields: { file_name: 'name' } } },
	],
	[
		'the parameter of a cursor whose refusal has the word cursor in it',
		{ list: { style: 'cursor', cursor: 'pageToken' } },
		{ list: { style: 'cursor', cursor: 'pageToken' } },
	],
	[
		'a reference beside the number of a telephone',
		{
			dossier: {
				fields: { reference: 'meta.external_id', 'contact.phone': 'client_phone_number' },
			},
		},
		{
			dossier: {
				fields: { reference: 'meta.external_id', 'contact.phone': 'client_phone_number' },
			},
		},
	],
];

it.each(rows)('finds %s', async (_, spoken, found) => {
	await axios.put(`${service.url}/_sandbox/api/dialect`, spoken);
	const { items, error } = await runDossier({
		parameters: { resource: 'service', operation: 'checkContract', tryWriting: true },
		credential: service.credential,
	});
	expect(error).toBeUndefined();
	const summary = items.at(-1)?.json;
	expect(JSON.parse(toText(summary?.dialect) ?? '')).toMatchObject(found);
	expect(summary?.left).toBe('');
});
