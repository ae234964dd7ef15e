/** Every field of every operation with a wrong value, such as one of the wrong type. */
import type {
	IDataObject,
	INodeParameters,
	INodeProperties,
	NodeParameterValueType,
} from 'n8n-workflow';
import type { Operation, Resource } from '../../nodes/Dossier/execution/operation';
import { resources } from '../../nodes/Dossier/resources';
import { runDossier } from './n8n.mts';
import { carry } from './requests.mts';
import { byId, useService } from './service.mts';

const service = useService();
/** Records of each kind for the locators, so that nothing but the wrong value can fail. */
let ids: Record<string, unknown>;

beforeAll(async () => {
	const dossier = await service.create('/dossiers', { title: 'Bad input' });
	const task = await service.create('/tasks', { title: 'Bad input' });
	const { liveKey } = service.organization;
	const liveDossier = await service.create('/dossiers', { title: 'Bad input' }, liveKey);
	const document = await service.addDocument(dossier.id);
	const invitation = { email: 'bad.input@client.example', dossier_ids: [] };
	const { portal_user_id } = await service.create('/portal/invite', invitation);
	ids = {
		dossierId: dossier.id,
		liveDossierId: liveDossier.id,
		documentId: document.id,
		taskId: task.id,
		portalUserId: portal_user_id,
	};
});

/** A wrong value, and whether the node may take it for an empty field. */
interface WrongValue {
	what: string;
	value: NodeParameterValueType;
	isEmpty?: boolean;
}

/** Values that an expression may give for a field of this type. */
function listWrongValues({ type }: INodeProperties): WrongValue[] {
	switch (type) {
		case 'resourceLocator':
			return [
				{ what: 'nothing', value: byId('={{ $json.missing }}'), isEmpty: true },
				{ what: 'an object', value: byId('={{ {} }}') },
				{ what: 'a list', value: byId('={{ [1] }}') },
			];
		case 'dateTime':
			return [
				{ what: 'text', value: 'soon' },
				{ what: 'an object', value: '={{ ({ a: 1 }) }}' },
			];
		case 'json':
			return [
				{ what: 'broken JSON', value: '{"a":' },
				{ what: 'a list', value: '[1]' },
			];
		case 'number':
			return [{ what: 'text', value: '={{ "many" }}' }];
		case 'multiOptions':
			return [
				{ what: 'nothing', value: '={{ $json.missing }}' },
				{ what: 'a list of objects', value: '={{ [{ name: "a" }] }}' },
			];
		case 'boolean':
			return [
				{ what: 'nothing', value: '={{ $json.missing }}' },
				{ what: 'text', value: '={{ "maybe" }}' },
				{ what: 'a list', value: '={{ [true] }}' },
			];
		case 'string':
		case 'options':
			return [
				{ what: 'nothing', value: '={{ $json.missing }}', isEmpty: true },
				{ what: 'an object', value: '={{ ({ a: { b: 1 } }) }}' },
				{ what: 'a list', value: '={{ [[1], 2] }}' },
				{ what: 'a list of objects', value: '={{ [{ name: "a" }] }}' },
			];
		default:
			return [];
	}
}

/** Only the list of documents reads the first, and only a live key makes the node read the second. */
const unreadFields = ['dossierOfList', 'writeLive'];

interface Attempt extends WrongValue {
	field: INodeProperties;
	parameters: INodeParameters;
}

/** Each wrong value for each field, with the parameters that make n8n show the field. */
function listAttempts({ fields }: Operation): Attempt[] {
	return fields.flatMap((outer) => {
		const shown: INodeParameters = {};
		for (const [name, [value] = []] of Object.entries(outer.displayOptions?.show ?? {})) {
			if (name === '/dossierId.mode' && value === 'reference') {
				// Another one each time, since an attempt may create it
				shown.dossierId = { ...byId('={{ "new " + Math.random() }}'), mode: value };
			} else shown[name] = value;
		}
		if (outer.type !== 'collection') {
			return listWrongValues(outer).map((wrong) => ({
				...wrong,
				field: outer,
				parameters: { ...shown, [outer.name]: wrong.value },
			}));
		}
		return ((outer.options ?? []) as INodeProperties[]).flatMap((field) =>
			listWrongValues(field).map((wrong) => {
				const beside = Object.entries(field.displayOptions?.show ?? {}).map(
					([name, values]) => [name, values?.[0]] as const,
				);
				const held = { ...Object.fromEntries(beside), [field.name]: wrong.value };
				return { ...wrong, field, parameters: { ...shown, [outer.name]: held } };
			}),
		);
	});
}

/** Valid values for all fields. */
function fillIn({ fields }: Operation, access: Resource['access']): INodeParameters {
	return Object.fromEntries(
		fields.map(({ name, type, default: value }): [string, NodeParameterValueType] => {
			if (type === 'resourceLocator') return [name, byId(ids[name] ?? ids.dossierId)];
			// A customer works on live data.
			if (name === 'dossierId' && access === 'workspace') return [name, String(ids.liveDossierId)];
			if (name === 'baseUrl') return [name, service.url];
			return [name, type === 'string' ? value || 'x' : value];
		}),
	);
}

const operations = resources.flatMap(({ value: resource, access, operations: list }) =>
	list.map((operation) => ({
		resource,
		access,
		operation,
		name: `${resource} ${operation.value}`,
	})),
);

it.each(operations)(
	'$name refuses each wrong value with a message, unless the value may be empty',
	async ({ resource, access, operation }) => {
		const credential = access === 'workspace' ? service.customer : service.credential;
		const accepted: string[] = [];
		for (const { field, what, isEmpty, parameters } of listAttempts(operation)) {
			const { items } = await runDossier({
				parameters: {
					resource,
					operation: operation.value,
					...fillIn(operation, access),
					...parameters,
				},
				credential,
				items: [carry('x.txt')],
				onError: 'continueRegularOutput',
			});
			const place = `${field.displayName} (${field.name}) = ${what}`;
			const errors = items.flatMap(({ json }) => (json.error ? [json.error as IDataObject] : []));
			for (const { code, message, hint } of errors) {
				// An error without a sentence of its own has no hint, and this code.
				expect([place, code]).not.toEqual([place, 'UNEXPECTED_ERROR']);
				expect([place, typeof message, typeof hint]).toEqual([place, 'string', 'string']);
				expect(message).not.toMatch(/undefined|\[object|NaN|TypeError|Cannot read/);
			}
			if (
				!isEmpty &&
				!unreadFields.includes(field.name) &&
				!errors.some(({ code }) => code === 'INVALID_INPUT')
			)
				accepted.push(`${place}: ${JSON.stringify(errors)}`);
		}
		expect(accepted).toEqual([]);
	},
	120_000,
);

it.each([
	['filesFrom', { filesFrom: 'everything' }],
	['ifExists', { ifExists: 'overwrite' }],
	['format', { options: { format: 'xml' } }],
] as const)('an upload refuses a word in %s that is not among its choices', async (_, own) => {
	const { items } = await runDossier({
		parameters: {
			resource: 'document',
			operation: 'upload',
			dossierId: byId(ids.dossierId),
			category: 'other',
			...own,
		},
		credential: service.credential,
		items: [carry('x.txt')],
		onError: 'continueRegularOutput',
	});
	expect(items).toHaveLength(1);
	expect(items[0]?.json.error).toMatchObject({
		code: 'INVALID_INPUT',
		message: expect.stringMatching(
			/^The field '[A-Z].*' has no choice "(everything|overwrite|xml)"$/,
		),
	});
});
