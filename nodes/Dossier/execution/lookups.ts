import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Api } from '../api/client';
import type { EndpointName } from '../api/endpoints';
import { pages } from '../api/pages/pages';
import type { ListApi } from '../api/pages/pages';
import { GONE, hasStatus, isProblem, Problem, readRefusal } from '../problems/problem';
import { toText } from '../api/json';
import { shareMaking } from '../api/memory';
import type { ItemRun, Operation } from './operation';
import { listInnerFields } from './fields';
import { DOSSIER_OF_LIST } from './locators';
import { asId, asIds, asReference, isEmpty, isLocator } from './parameters';
import type { Located, Parameters } from './parameters';

/** How records are found by a reference or an address. */
interface Lookup {
	endpoint: EndpointName;
	query: (value: string) => IDataObject;
	isMatch: (record: IDataObject, value: string) => boolean;
	/** The code of the service if there is no such record. */
	missing: string;
}

const isSameEmail = (email: unknown, value: string) =>
	toText(email)?.toLowerCase() === value.toLowerCase();

/** By the modes of the locators. */
const lookups = {
	reference: {
		endpoint: 'dossiers.list',
		query: (reference) => ({ reference }),
		isMatch: ({ reference }, value) => toText(reference)?.normalize('NFC') === value,
		missing: 'DOSSIER_NOT_FOUND',
	},
	email: {
		endpoint: 'portal.users.list',
		query: (q) => ({ q }),
		isMatch: ({ email }, value) => isSameEmail(email, value),
		missing: 'PORTAL_USER_NOT_FOUND',
	},
} as const satisfies Record<string, Lookup>;

type Mode = keyof typeof lookups;

const isLookup = (mode: string): mode is Mode => mode in lookups;

/**
 * Finds the one record with exactly this reference or address. Each record is compared, because a service may ignore the
 * filter.
 *
 * @param field the field of the form that names it
 * @throws Problem if there is more than one, since nothing says which is meant
 */
export async function findNamed(
	api: ListApi,
	mode: Mode,
	value: string,
	field: string,
): Promise<IDataObject | undefined> {
	const { endpoint, query, isMatch }: Lookup = lookups[mode];
	const found = new Map<string, IDataObject>();
	for await (const { records } of pages(api, endpoint, { query: query(value) })) {
		for (const record of records.filter((one) => isMatch(one, value))) {
			found.set(toText(record.id) ?? '', record);
		}
		if (found.size > 1) {
			throw new Problem('SEVERAL_NAMED_SO', { field, mode, value, ids: [...found.keys()] });
		}
	}
	return [...found.values()][0];
}

/** The problem of a name that no record has, with the code and the status that an unknown identifier gets. */
export const toNothingNamedProblem = (field: string, mode: Mode, value: string) =>
	new Problem('NOTHING_NAMED_SO', {
		field,
		mode,
		value,
		refusal: { status: 404, code: lookups[mode].missing, details: [], access: 'key' },
	});

/**
 * The identifier of the one record with this reference or address.
 *
 * @throws Problem if there is none, or more than one
 */
async function findId(api: ListApi, mode: Mode, value: string, field: string): Promise<string> {
	const id = toText((await findNamed(api, mode, value, field))?.id);
	if (id === undefined) throw toNothingNamedProblem(field, mode, value);
	return id;
}

/** Reads the reference or the address of a locator; `undefined` if it holds an identifier, or nothing. */
function readName(
	{ mode, value }: Located,
	field: string,
): { mode: Mode; name: string } | undefined {
	if (!isLookup(mode) || isEmpty(value)) return undefined;
	return { mode, name: asReference(value, field) };
}

/** The dossier chosen above a list of documents; `undefined` if there is none yet. */
export async function findDossierOfList(
	api: ListApi,
	chosen: unknown,
): Promise<string | undefined> {
	if (!isLocator(chosen)) return undefined;
	const named = readName(chosen, DOSSIER_OF_LIST);
	if (named) return await findId(api, named.mode, named.name, DOSSIER_OF_LIST);
	return asId(chosen, DOSSIER_OF_LIST);
}

/** A locator of an operation's form, and where it is: in the form itself, or `collection.field`. */
interface LocatorPlace {
	path: string;
	field: INodeProperties;
	held: unknown;
}

function* walkLocators({ fields }: Operation, parameters: Parameters): Generator<LocatorPlace> {
	for (const field of fields) {
		if (field.name === DOSSIER_OF_LIST) continue;
		yield { path: field.name, field, held: parameters.raw(field.name) };
		if (field.type !== 'collection') continue;
		const values = parameters.collection(field.name);
		for (const inner of listInnerFields(field)) {
			yield { path: `${field.name}.${inner.name}`, field: inner, held: values[inner.name] };
		}
	}
}

/** Whether a name that a model gave is an identifier, and not a reference or an email address. */
async function isKnownId(api: Api, mode: Mode, name: string): Promise<boolean> {
	if (mode === 'email') return !name.includes('@');
	return await api.call('dossiers.get', { id: name }).then(
		() => true,
		(error: unknown) => {
			if (readRefusal(error)) return false;
			throw error;
		},
	);
}

const findMode = ({ modes = [] }: INodeProperties) => modes.map(({ name }) => name).find(isLookup);

/**
 * Finds the records that the form names by a reference or an address, each once in a run. A model, and the expression of a
 * list, may also give these in place of an identifier.
 *
 * @param isExpression whether a field of the form holds an expression, and not what was chosen from a list
 * @returns the locators with identifiers, by their paths in the form
 * @throws Problem if no record, or more than one, has the reference or the address
 */
export async function locateRecords(
	{ api, once, isTool }: Pick<ItemRun, 'api' | 'once' | 'isTool'>,
	operation: Operation,
	parameters: Parameters,
	isExpression: (field: string) => boolean,
): Promise<Map<string, unknown>> {
	const running = once('records by name', () => new Map<string, Promise<string>>());
	const findOrNote = async (mode: Mode, name: string, field: string) =>
		await findId(api, mode, name, field).catch((error: unknown) => {
			const isMissing = mode === 'reference' && isProblem(error, 'NOTHING_NAMED_SO');
			const noted = isMissing && operation.noteMissing?.({ once }, parameters, name);
			if (!noted) throw error;
			return noted;
		});
	const find = async (mode: Mode, name: string, field: string) =>
		await shareMaking(running, `${mode} ${name}`, async () => await findOrNote(mode, name, field));
	const findOrKeep = async (mode: Mode, name: string, field: string) => {
		if (await isKnownId(api, mode, name)) return name;
		return await find(mode, name.trim(), field).catch((error: unknown) => {
			if (!isProblem(error, 'NOTHING_NAMED_SO')) throw error;
			throw new Problem(error.code, { ...error.facts, mode: `ID or the ${mode}` });
		});
	};
	const findUnlessIdentifier = async (mode: Mode, name: string, field: string) =>
		await shareMaking(
			running,
			`ID or ${mode} ${name}`,
			async () => await findOrKeep(mode, name, field),
		);
	const located = new Map<string, unknown>();
	for (const { path, field, held } of walkLocators(operation, parameters)) {
		const mode = findMode(field);
		if (isLocator(held)) {
			const named = readName(held, field.name);
			const typed = isTool && held.mode === 'id' ? asId(held, field.name) : undefined;
			if (named) {
				located.set(path, asFound(await find(named.mode, named.name, field.name)));
			} else if (mode && typed) {
				located.set(path, asFound(await findUnlessIdentifier(mode, typed, field.name)));
			}
		} else if (field.name === 'dossierIds' && (isTool || isExpression(field.name))) {
			const ids = asIds(held, field.name).map(
				async (name) => await findUnlessIdentifier('reference', name, field.name),
			);
			located.set(path, await Promise.all(ids));
		}
	}
	return located;
}

/** A locator with the identifier of a record that a call has found: the identifier is no reference. */
const asFound = (value: string) => ({ mode: 'found', value });

/** Names the record of the form that a refusal says is not there. Gives back every other error unchanged. */
export function nameMissing(
	error: unknown,
	operation: Operation,
	parameters: Parameters | undefined,
): unknown {
	const refusal = readRefusal(error);
	if (!refusal || isProblem(error, 'NOTHING_AT_ID') || !hasStatus(error, ...GONE)) return error;
	// Only this field is read, because the expression of another one may be what failed.
	const field = operation.fields.find(
		({ type, name, required }) =>
			type === 'resourceLocator' && required && name !== DOSSIER_OF_LIST,
	);
	const located = field && parameters?.raw(field.name);
	if (!isLocator(located)) return error;
	// The list, the operation or the service is missing, not the record.
	if (refusal.stranger !== undefined || refusal.code === 'ROUTE_NOT_FOUND' || refusal.isOfList)
		return error;
	// After 410 the ID is right: the record was there.
	const other =
		field && located.mode === 'id' && hasStatus(error, 404) ? findMode(field) : undefined;
	const facts = { refusal, field: field?.name ?? '', value: toText(located.value) ?? '', other };
	return new Problem('NOTHING_AT_ID', facts);
}
