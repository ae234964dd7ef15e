import type { INodeProperties } from 'n8n-workflow';
import { toText } from '../../api/json';
import { asText, isEmpty } from '../../execution/parameters';
import type { Operation } from '../../execution/operation';
import { findOrCreate } from '../dossier/findOrCreate';

const ifMissing: INodeProperties = {
	displayName: 'If Missing',
	name: 'ifMissing',
	type: 'options',
	default: 'fail',
	builderHint: {
		propertyHint:
			'With the dossier by its reference, create makes an import of one step: no dossier/upsert is needed before it.',
	},
	options: [
		{
			name: 'Create',
			value: 'create',
			description: 'Create a dossier with this reference, once for all items that have it',
		},
		{ name: 'Fail', value: 'fail', description: 'Report an error' },
	],
	// The slash means the root of the form, as in execution/locators.ts.
	displayOptions: { show: { '/dossierId.mode': ['reference'] } },
	description: 'What to do if no dossier has this reference',
};

/** What to do about a dossier that does not exist, below its locator. */
export const missingFields: INodeProperties[] = [
	ifMissing,
	{
		displayName: 'Title if Created',
		name: 'newTitle',
		type: 'string',
		default: '',
		placeholder: 'e.g. Tax return 2026, Jane Doe',
		displayOptions: { show: { '/dossierId.mode': ['reference'], ifMissing: ['create'] } },
		description: 'Title of the dossier if it is created. Without it, the reference is the title.',
	},
];

/** The dossiers that a dry run would create, by what stands for their identifiers. */
export const listToCreate = ({ once }: Parameters<NonNullable<Operation['makeMissing']>>[0]) =>
	once('dossiers that a dry run would create', () => new Set<string>());

/** Creates the dossier of a document if the form asks for it; a dry run only notes that it would. */
export const makeDossier: NonNullable<Operation['makeMissing']> = async (
	run,
	parameters,
	reference,
) => {
	const isShown = parameters.raw(ifMissing.name) !== null;
	if (!isShown || parameters.choice(ifMissing) !== 'create') return undefined;
	if (parameters.flag('dryRun')) {
		listToCreate(run).add(reference);
		return reference;
	}
	const given = parameters.raw('newTitle');
	const title = isEmpty(given) ? reference : asText(given, 'newTitle');
	const changes = { fields: { title }, addTags: [], removeTags: [] };
	const { dossier } = await findOrCreate(run.api, reference, changes);
	return toText(dossier.id);
};
