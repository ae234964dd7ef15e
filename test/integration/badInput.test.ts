/** Every field of every operation left empty, of the wrong type, or from an expression that gives nothing. */
import type { IDataObject, INodeParameters, INodeProperties } from 'n8n-workflow';
import { resources } from '../../nodes/Dossier/resources';
import { runDossier, useBinaryMode } from './n8n';
import { startService } from './service';
import type { Service } from './service';

let service: Service;
let forget: () => Promise<void>;

beforeAll(async () => {
	service = await startService();
	forget = await useBinaryMode('filesystem');
});

afterAll(async () => {
	await service.stop();
	await forget();
});

const locator = (value: unknown) => ({ __rl: true, mode: 'id', value }) as never;

/** Values that an expression may give for a field of this kind. */
function wrongValues({ type }: INodeProperties): Array<[string, unknown]> {
	switch (type) {
		case 'resourceLocator':
			return [
				['nothing', locator('={{ $json.missing }}')],
				['an object', locator('={{ {} }}')],
				['a list', locator('={{ [1] }}')],
			];
		case 'dateTime':
			return [
				['text', 'soon'],
				['an object', '={{ ({ a: 1 }) }}'],
			];
		case 'json':
			return [
				['broken JSON', '{"a":'],
				['a list', '[1]'],
			];
		case 'number':
			return [['text', '={{ "many" }}']];
		case 'string':
		case 'options':
			return [
				['nothing', '={{ $json.missing }}'],
				['an object', '={{ ({ a: { b: 1 } }) }}'],
				['a list', '={{ [[1], 2] }}'],
			];
		default:
			return [];
	}
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
	'$name answers each wrong value with a sentence, or does without it',
	async ({ resource, access, operation }) => {
		const credential = access === 'workspace' ? service.customer : service.credential;
		const usual: INodeParameters = {};
		for (const { name, type, default: value } of operation.fields) {
			if (type === 'resourceLocator') usual[name] = locator('dos_missing');
			else if (name === 'baseUrl') usual[name] = service.url;
			else if (type === 'string') usual[name] = value || 'x';
			else usual[name] = value;
		}
		const tried: string[] = [];
		for (const field of operation.fields) {
			const cases = wrongValues(field).map(([what, value]) => ({
				what,
				parameters: { [field.name]: value },
			}));
			for (const option of (field.options ?? []) as INodeProperties[]) {
				if (field.type !== 'collection') continue;
				for (const [what, value] of wrongValues(option)) {
					cases.push({ what, parameters: { [field.name]: { [option.name]: value } } });
				}
			}
			for (const { what, parameters } of cases) {
				const { items } = await runDossier({
					parameters: {
						resource,
						operation: operation.value,
						...usual,
						...(parameters as IDataObject),
					},
					credential,
					items: [{ json: {}, files: { x: { fileName: 'x.txt', content: Buffer.from('x') } } }],
					onError: 'continueRegularOutput',
				});
				for (const { json } of items) {
					if (!json.error) continue;
					const { code, message, hint } = json.error as IDataObject;
					const place = `${field.name} given ${what}: ${JSON.stringify(json.error)}`;
					tried.push(place);
					// An error that nobody wrote a sentence for has no hint and this code.
					expect([place, code]).not.toEqual([place, 'UNEXPECTED_ERROR']);
					expect([place, typeof message, typeof hint]).toEqual([place, 'string', 'string']);
					expect(message).not.toMatch(/undefined|\[object|NaN|TypeError|Cannot read/);
				}
			}
		}
		expect(tried.filter((one) => one.includes('"status":5'))).toEqual([]);
	},
	120_000,
);
