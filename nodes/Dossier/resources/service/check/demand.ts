import type { Check } from './notes';
import { listNames, matchFields } from './names';
import type { Negotiation, Offer } from './offer';
import type { Made } from './made';

/** The fields without which no record of a kind is made. What a refusal misses and resembles none of them is the last. */
export const NEEDED = {
	dossier: ['title'],
	document: ['file_name', 'mime_type', 'category', 'content_base64'],
	task: ['title'],
};

/** What the part of a form with the file may be called. */
export const FILE_PARTS = ['file', 'upload', 'document', 'content', 'attachment', 'data'];

interface Room {
	kind: keyof typeof NEEDED;
	/** Where fields of these names may stand: objects of the body or parts of a form, the likeliest first; "" for the body itself. */
	listPlaces: (names: readonly string[]) => string[];
	/** Offers the content of a file. */
	offerFile?: (name: string) => Offer;
	isForm?: boolean;
}

/** Which field each missing name means. One that resembles none is the last field that was not offered under it. */
function readMissing(
	check: Check,
	kind: Room['kind'],
	paths: string[],
	offered: readonly Offer[],
): Map<string, string> {
	const needed = NEEDED[kind];
	const leaves = paths.map((path) => [path, undefined] as const);
	const found = matchFields(kind, leaves, check.dialect.naming, new Map(), needed.slice(0, -1));
	const left = paths.find((path) => ![...found.values()].includes(path));
	const isNew = (field: string) => !offered.some((one) => one.field === field && one.name === left);
	return left === undefined
		? found
		: found.set(needed.findLast(isNew) ?? needed.at(-1) ?? '', left);
}

/** Offers what a refusal misses, else every likely name: first in the likeliest place, then in all others. */
export const createDemand =
	(check: Check, { markers }: Made, { kind, listPlaces, offerFile, isForm }: Room) =>
	(...[paths, offered, left]: Parameters<NonNullable<Negotiation['demand']>>): Offer[] => {
		const { record, strict } = check.dialect;
		// Objects and parts that were offered empty, for the service to say what they lack.
		const parts = left.filter(({ field }) => !field).map(({ place, name }) => place || name);
		const offerEmpty = (place: string): Offer => ({
			...(isForm ? markers.offer('', '', place) : markers.offer('', place)),
			value: {},
			isGiven: true,
		});
		if (isForm && paths.includes(record?.typeIn ?? ' ')) {
			const isEmpty = (place: string) => offered.some((one) => !one.field && one.place === place);
			const untried = listPlaces(['']).filter((place) => place && !isEmpty(place));
			const isOne = strict === true || !offered.some(({ field }) => !field);
			return untried.slice(0, isOne ? 1 : undefined).map(offerEmpty);
		}
		// What is missing may hold the fields: an object by the name of the kind, or the JSON part of a form.
		const isFile = (path: string) =>
			isForm && FILE_PARTS.includes(path) && !offered.some(({ name }) => name === path);
		const isHolder = (path: string) =>
			(listPlaces([path]).includes(path) && !isFile(path)) ||
			(!isForm && path.toLowerCase() === kind);
		const holder = paths.find(isHolder);
		if (holder !== undefined && (strict === true || !isForm) && !parts.includes(holder)) {
			return [offerEmpty(holder)];
		}
		// A refusal may name the whole path of a field.
		const known = [...parts, ...(listPlaces(['']).length > 1 ? [] : listPlaces(['']))];
		const strip = (path: string) => {
			const part = known.find((one) => one && path.startsWith(`${one}.`));
			return part === undefined ? path : path.slice(part.length + 1);
		};
		const lacking = paths.filter((path) => !isHolder(path)).map(strip);
		const missing = readMissing(check, kind, lacking, offered);
		return NEEDED[kind].flatMap((field) => {
			const isFile = field === 'content_base64' && offerFile;
			const likely = isFile && isForm ? FILE_PARTS : listNames(field, check.namings);
			const given = missing.get(field);
			const names = given === undefined ? (missing.size ? [] : likely) : [given];
			if (isFile && isForm && holder !== undefined) return [];
			const isTried = (name: string, place: string) =>
				offered.some(
					(one) =>
						one.name === name &&
						one.place === place &&
						(given === undefined || one.field === field),
				);
			const choosePlaces = () => {
				const all = parts.length ? parts : listPlaces(names);
				const untried = all.filter((place) => !names.some((name) => isTried(name, place)));
				// A service that refuses unknown names refuses them one by one.
				const isOne = strict === true || (!parts.length && untried[0] === all[0]);
				return untried.slice(0, isOne ? 1 : undefined);
			};
			const places =
				holder !== undefined ? [holder] : isFile ? listPlaces(names).slice(0, 1) : choosePlaces();
			return places.flatMap((place) =>
				names
					.filter((name) => !isTried(name, place))
					.map((name) => ({
						...(isFile ? { ...offerFile(name), place } : markers.offer(field, name, place)),
						isGiven: missing.size > 0,
					})),
			);
		});
	};
