/** Compares outputs with the previews that n8n shows before a node has run. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeExecutionData, INodeParameters, INodeProperties } from 'n8n-workflow';
import { resources } from '../../nodes/Dossier/resources';

interface Preview {
	type: string;
	properties?: Record<string, Preview>;
	items?: Preview;
}

const FOLDER = join(__dirname, '../../nodes/Dossier/__schema__/v1.0.0');

/** The paths at which a value differs from its preview. A field that is absent or null does not differ. */
function listDifferences(value: unknown, preview: Preview, path: string): string[] {
	if (value === null || value === undefined) return [];
	if (preview.type === 'array') {
		const { items } = preview;
		if (!Array.isArray(value) || !items) return [`${path} is not a list`];
		return value.flatMap((one) => listDifferences(one, items, `${path}[]`));
	}
	if (typeof value !== preview.type) return [`${path} is ${typeof value}, not ${preview.type}`];
	const known = preview.properties ?? {};
	// An object without known fields holds whatever people put there.
	if (Object.keys(known).length === 0) return [];
	return Object.entries(value).flatMap(([name, one]) => {
		const own = known[name];
		return own ? listDifferences(one, own, `${path}.${name}`) : [`${path}.${name} is not shown`];
	});
}

/** Fails if items have other fields than the preview of their operation, which shows what its form gives out at first. */
export function expectPreviewed(parameters: INodeParameters, items: INodeExecutionData[]): void {
	const { resource, operation } = parameters;
	const form = resources
		.find(({ value }) => value === resource)
		?.operations.find(({ value }) => value === operation);
	const isOther = ({ name, default: usual }: INodeProperties) =>
		['output', 'exportAs'].includes(name) && (parameters[name] ?? usual) !== usual;
	if (form?.fields.some(isOther)) return;
	const path = join(FOLDER, resource as string, `${operation as string}.json`);
	const preview = JSON.parse(readFileSync(path, 'utf8')) as Preview;
	expect(items.flatMap(({ json }) => listDifferences(json, preview, operation as string))).toEqual(
		[],
	);
}
