import { z } from 'zod';
import type { components } from '../../../../contract/generated/types.mts';
import { parseObject } from '../../platform/json.mts';
import { contractField } from '../contract-field.mts';
import { fields } from '../operation.mts';
import { plan } from '../organizations.mts';

type Schemas = components['schemas'];

const dossierField = <Name extends keyof Schemas['DossierFields']>(name: Name) =>
	contractField<Schemas['DossierFields'][Name]>(`DossierFields/properties/${name}`);
const documentField = <Name extends keyof Schemas['DocumentUpload']>(name: Name) =>
	contractField<Schemas['DocumentUpload'][Name]>(`DocumentUpload/properties/${name}`).optional();
const taskField = <Name extends keyof Schemas['TaskFields']>(name: Name) =>
	contractField<Schemas['TaskFields'][Name]>(`TaskFields/properties/${name}`);
const inviteField = <Name extends keyof Schemas['Invite']>(name: Name) =>
	contractField<Schemas['Invite'][Name]>(`Invite/properties/${name}`);

const contact = contractField<Schemas['ContactInput'] | null>('ContactInput', {
	type: ['object', 'null'],
	additionalProperties: false,
});

const documentFields = fields({
	file_name: documentField('file_name'),
	mime_type: documentField('mime_type'),
	category: documentField('category'),
	title: documentField('title'),
	custom_fields: documentField('custom_fields'),
	file: z
		.string()
		.min(1)
		.max(200)
		.describe('A path, relative to the seed file. Only in a file.')
		.optional(),
	content: z.string().describe('The content as text.').optional(),
	content_base64: z
		.string()
		.regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/)
		.optional(),
}).describe('A document with its content: one of `file`, `content` and `content_base64`.');

const task = {
	title: taskField('title'),
	description: taskField('description').optional(),
	status: taskField('status').optional(),
	priority: taskField('priority').optional(),
	assignee_id: taskField('assignee_id').optional(),
	due_at: taskField('due_at').optional(),
};

const reference = z.string().min(1).max(100);

const dossier = fields({
	reference: dossierField('reference').optional(),
	title: dossierField('title'),
	description: dossierField('description').optional(),
	status: dossierField('status').optional(),
	type: dossierField('type').optional(),
	contact: contact.optional(),
	assignee_id: dossierField('assignee_id').optional(),
	tags: dossierField('tags').optional(),
	custom_fields: dossierField('custom_fields').optional(),
	due_at: dossierField('due_at').optional(),
	documents: z.array(documentFields).optional(),
	tasks: z.array(fields(task)).optional(),
}).describe('A dossier with its documents and tasks.');

const user = fields({
	email: inviteField('email'),
	first_name: inviteField('first_name').optional(),
	last_name: inviteField('last_name').optional(),
	phone: inviteField('phone').optional(),
	message: inviteField('message').optional(),
	expires_in_days: inviteField('expires_in_days').optional(),
	dossiers: z
		.array(reference)
		.max(100)
		.refine((all) => new Set(all).size === all.length, 'An entry is there twice.')
		.describe('References of dossiers of the same records.')
		.optional(),
}).describe('Somebody who is invited to the portal.');

const records = fields({
	dossiers: z.array(dossier).optional(),
	tasks: z
		.array(
			fields({
				...task,
				dossier: reference.describe('The reference of a dossier of the same records.').optional(),
			}),
		)
		.optional(),
	users: z.array(user).optional(),
});

const organization = fields({
	name: z.string().min(1).max(200),
	id: z
		.string()
		.regex(/^[A-Za-z0-9_-]{1,64}$/)
		.describe('Default: a fresh identifier.')
		.optional(),
	plan: plan.describe('Default: enterprise. Only for a new organization, as the keys.').optional(),
	live_key: z
		.string()
		.regex(/^sk_live_[A-Za-z0-9]{12,100}$/)
		.optional(),
	test_key: z
		.string()
		.regex(/^sk_test_[A-Za-z0-9]{12,100}$/)
		.optional(),
	live: records.describe('What the live key sees.').optional(),
	test: records.describe('What the test key sees.').optional(),
}).describe(
	'An organization that exists, by its id or its name, gets the records; any other one is created.',
);

export const seed = fields({ organizations: z.array(organization) }).describe(
	'Organizations and records to begin with.',
);

/** Organizations and records to begin with. */
export type Seed = z.infer<typeof seed>;
export type SeedOrganization = z.infer<typeof organization>;
export type SeedRecords = z.infer<typeof records>;
export type SeedDocument = z.infer<typeof documentFields>;

/** The JSON Schema of a seed, for editors, without what only the contract needs. */
export function describeSeed(): object {
	const schema = z.toJSONSchema(seed, { unrepresentable: 'any' });
	const text = JSON.stringify(schema, (name, value: unknown) =>
		name.startsWith('x-') ? undefined : value,
	);
	return { title: 'Seed of a dossier sandbox', ...parseObject(text) };
}
