import type { INodeProperties } from 'n8n-workflow';
import { textField } from '../../execution/fields';
import { toText } from '../../api/json';
import { asText, isEmpty } from '../../execution/parameters';
import type { ItemRun, Operation } from '../../execution/operation';
import { toNothingNamedProblem } from '../../execution/lookups';
import { beginToAdd, knowAsEmpty } from './existing';
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
	textField(
		'Title if Created',
		'newTitle',
		'Tax return 2026, Jane Doe',
		'Title of the dossier if it is created. Without it, the reference is the title.',
		{ displayOptions: { show: { '/dossierId.mode': ['reference'], ifMissing: ['create'] } } },
	),
];

/** A dossier that does not exist yet. */
interface MissingDossier {
	reference: string;
	title: string;
	/** Its identifier, once it is being created. */
	created?: Promise<string>;
	/** Whether its creation failed: the service may have it nevertheless. */
	isDoubtful?: boolean;
}

/** The dossiers that do not exist yet, by what stands for their identifiers. */
const listMissing = ({ once }: Pick<ItemRun, 'once'>) =>
	once('missing dossiers', () => new Map<string, MissingDossier>());

/** Notes the dossier of a document as one to create, if the form asks for it. */
export const noteMissing: NonNullable<Operation['noteMissing']> = (run, parameters, reference) => {
	const isShown = parameters.raw(ifMissing.name) !== null;
	if (!isShown || parameters.choice(ifMissing) !== 'create') return undefined;
	const given = parameters.raw('newTitle');
	const title = isEmpty(given) ? reference : asText(given, 'newTitle');
	const placeholder = `new dossier ${reference}`;
	listMissing(run).set(placeholder, { reference, title });
	return placeholder;
};

/** The dossier that an identifier stands for, if it did not exist when the run began. */
export const findMissing = (run: ItemRun, id: string) => listMissing(run).get(id);

async function createMissingDossier(run: ItemRun, missing: MissingDossier): Promise<string> {
	const { reference, title, isDoubtful } = missing;
	const changes = { fields: { title }, addTags: [], removeTags: [] };
	beginToAdd(run);
	const { dossier, isNew } = await findOrCreate(
		run.api,
		'dossierId',
		reference,
		changes,
		!isDoubtful,
	);
	if (isNew) run.note('created');
	const id = toText(dossier.id);
	if (id === undefined) {
		throw toNothingNamedProblem('dossierId', 'reference', reference);
	}
	// A service may put documents of its own into a new dossier.
	if (isNew && !dossier.document_count) knowAsEmpty(run, id);
	// A later round of a loop finds it, and has to know that this round had it.
	run.isRepeated(id);
	return id;
}

/** The identifier of a dossier; a missing one is created now, once for all items. */
export async function createMissing(run: ItemRun, id: string): Promise<string> {
	const missing = findMissing(run, id);
	if (!missing) return id;
	const created = (missing.created ??= createMissingDossier(run, missing));
	// If it fails, the next file tries again.
	created.catch(() => {
		delete missing.created;
		missing.isDoubtful = true;
	});
	return await created;
}
