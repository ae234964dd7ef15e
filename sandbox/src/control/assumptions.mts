import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { listAssumptions, contractElements } from '../../../contract/elements.mts';
import { isObject } from '../platform/json.mts';
import type { Service } from '../service.mts';
import { switchTable } from '../contract/switches.mts';
import { answerList, createSection, operation } from './operation.mts';

let places: Map<string, string[]> | undefined;

const assumption = z.strictObject({
	number: z.string().regex(/^A-\d\d$/),
	title: z.string().nullable(),
	switches: z.record(z.string(), z.string()).describe('The switches that concern it.'),
	elements: z.array(z.string()).describe('JSON pointers into the contract.'),
});

/** The assumptions about the service, with their places in the contract and their switches. */
export const assumptionRoutes = createSection().openapi(
	operation({
		method: 'get',
		path: '/assumptions',
		operationId: 'assumptions.list',
		summary: 'What is assumed of the service, with switches and places in the contract',
		tags: ['Behavior'],
		responses: { 200: answerList('Assumptions.', assumption) },
	}),
	({ json, var: { service } }) => {
		const elements = (places ??= findPlaces(service));
		const known = readAssumptionTitles();
		const numbers = [...new Set([...known.keys(), ...elements.keys()])].sort();
		const data = numbers.map((number) => ({
			number,
			title: known.get(number) ?? null,
			switches: findSwitches(number, service),
			elements: elements.get(number) ?? [],
		}));
		return json({ data }, 200);
	},
);

/** The elements of the contract that rest on each assumption, as JSON pointers by its number. */
function findPlaces({ contract }: Service): Map<string, string[]> {
	const behaviors = contract.document['x-behaviors'];
	const places = new Map<string, string[]>(
		Object.keys(isObject(behaviors) ? behaviors : {}).map((number) => [number, []]),
	);
	for (const { element, pointer } of contractElements(contract.document)) {
		for (const number of listAssumptions(element)) {
			places.set(number, [...(places.get(number) ?? []), pointer]);
		}
	}
	return places;
}

let titles: Map<string, string> | undefined;

/** The title of every assumption by its number, such as `A-02`. */
export function readAssumptionTitles(): ReadonlyMap<string, string> {
	if (titles) return titles;
	const file = new URL('../../../docs/contract.md', import.meta.url);
	const headings = readFileSync(file, 'utf8').matchAll(/^## (A-\d+) (.+)$/gm);
	titles = new Map([...headings].map(([, number = '', title = '']) => [number, title]));
	return titles;
}

function findSwitches(number: string, { switches }: Service): Record<string, string> {
	const concerned = Object.entries(switches).filter(
		([name]) => new Map(Object.entries(switchTable)).get(name)?.assumption === number,
	);
	return Object.fromEntries(concerned);
}
