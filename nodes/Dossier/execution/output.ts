import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { listLeaves } from '../dialect/canonical';
import type { RecordKind } from '../dialect/canonical';
import { isObject } from '../dialect/paths';
import { toChoices } from './fields';
import type { Output } from './operation';
import { asList } from './parameters';
import type { Parameters } from './parameters';

/** How much of a record an operation gives out. */
type Amount = 'simplified' | 'raw' | 'selected';

const outputChoice: INodeProperties = {
	displayName: 'Output',
	name: 'output',
	type: 'options',
	default: 'raw',
	options: [
		{
			name: 'Simplified',
			value: 'simplified',
			description: 'The fields that most workflows need, without nested objects',
		},
		{ name: 'Raw', value: 'raw', description: 'All fields that the service gives' },
		{ name: 'Selected Fields', value: 'selected', description: 'The fields that you choose' },
	],
	description: 'How much of each record to return',
};

/**
 * The fields that choose how much of a record to give out.
 *
 * @param simple the fields of a simplified record, ten at most
 * @param initial what the form begins with
 */
export function outputFields(
	kind: RecordKind,
	simple: readonly string[],
	initial: Amount,
): INodeProperties[] {
	const paths = [...new Set([...listLeaves(kind), ...simple])];
	const choices = toChoices(paths);
	return [
		{ ...outputChoice, default: initial },
		{
			displayName: 'Fields',
			name: 'outputFields',
			type: 'multiOptions',
			default: [...simple],
			options: choices.sort((a, b) => a.name.localeCompare(b.name)),
			displayOptions: { show: { output: ['selected'] } },
			description: 'The fields to return',
		},
	];
}

/** Picks fields out of a record. `contact.name` becomes `contact_name`. Fields that the record lacks are left out. */
function pickFields(record: IDataObject, paths: readonly string[]): IDataObject {
	const picked: IDataObject = {};
	for (const path of paths) {
		const [outer = '', inner] = path.split('.');
		if (!(outer in record)) continue;
		const value = record[outer];
		if (inner === undefined) picked[outer] = value;
		else picked[`${outer}_${inner}`] = isObject(value) ? (value[inner] ?? null) : null;
	}
	return picked;
}

/** The paths of selected fields. Throws Problem if the form holds something else than a list. */
const readSelected = (parameters: Parameters) =>
	asList(parameters.raw('outputFields'), 'outputFields');

/** The selected fields that no record has. Throws Problem. */
export function listAbsent(parameters: Parameters, records: IDataObject[]): string[] {
	if (parameters.choice(outputChoice) !== 'selected' || !records.length) return [];
	const isShown = (path: string) => records.some((record) => (path.split('.')[0] ?? '') in record);
	return readSelected(parameters).filter((path) => !isShown(path));
}

/**
 * Reads how much of each record the form asks for.
 *
 * @returns a function that makes the output of a record. A record with none of the simplified fields is given out whole.
 * @throws Problem if the form holds something else than a choice
 */
export function readShape(
	parameters: Parameters,
	simple: readonly string[],
): (record: IDataObject) => Output {
	const chosen = parameters.choice(outputChoice);
	if (chosen === 'raw') return (json) => ({ json });
	const isSelected = chosen === 'selected';
	const paths = isSelected ? readSelected(parameters) : simple;
	return (record) => {
		const picked = pickFields(record, paths);
		return { json: isSelected || Object.keys(picked).length ? picked : record };
	};
}
