import { readFileSync } from 'node:fs';
import { listAssumptions, contractElements } from '../../../contract/elements.mts';
import type { JsonObject } from '../platform/json.mts';
import { isObject } from '../platform/json.mts';
import type { Service } from '../service.mts';
import { switchTable } from '../contract/switches.mts';
import type { Handlers } from './operation.mts';

let places: Map<string, string[]> | undefined;

/** The assumptions about the service, with their places in the contract and their switches. */
export const assumptionHandlers: Handlers<'/assumptions'> = {
	'get /assumptions': ({ service }) => {
		const elements = (places ??= findPlaces(service));
		const titles = readAssumptionTitles();
		const numbers = [...new Set([...titles.keys(), ...elements.keys()])].sort();
		const data = numbers.map((number) => ({
			number,
			title: titles.get(number) ?? null,
			switches: findSwitches(number, service),
			elements: elements.get(number) ?? [],
		}));
		return { data };
	},
};

/** The elements of the contract that rest on each assumption, as JSON pointers by its number. */
function findPlaces({ contract }: Service): Map<string, string[]> {
	const behaviours = contract.document['x-behaviours'];
	const places = new Map<string, string[]>(
		Object.keys(isObject(behaviours) ? behaviours : {}).map((number) => [number, []]),
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

function findSwitches(number: string, { switches }: Service): JsonObject {
	const positions = new Map(Object.entries(switches));
	const concerned = Object.entries(switchTable).filter(([, one]) => one.assumption === number);
	return Object.fromEntries(concerned.map(([name]) => [name, positions.get(name) ?? null]));
}
