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

/** Which field each missing name means. */
function readMissing(check: Check, kind: Room['kind'], paths: string[]): Map<string, string> {
	const needed = NEEDED[kind];
	const leaves = paths.map((path) => [path, undefined] as const);
	const found = matchFields(kind, leaves, check.dialect.naming, new Map(), needed.slice(0, -1));
	const left = paths.find((path) => ![...found.values()].includes(path));
	return left === undefined ? found : found.set(needed.at(-1) ?? '', left);
}

/** Offers what a refusal misses, else every likely name: first in the likeliest place, then in all others. */
export const createDemand =
	(check: Check, { markers }: Made, { kind, listPlaces, offerFile, isForm }: Room) =>
	(...[paths, offered, left]: Parameters<NonNullable<Negotiation['demand']>>): Offer[] => {
		const { record, strict } = check.dialect;
		const parts = left.filter(({ place, name }) => place && !name).map(({ place }) => place);
		const isTried = (name: string, place: string) =>
			offered.some((one) => one.name === name && one.place === place);
		const choosePlaces = (names: readonly string[], isPart = false) => {
			const isFound = parts.length > 0 && !isPart;
			const places = isFound ? parts : listPlaces(names).filter((one) => one || !isPart);
			const untried = places.filter((place) => !names.some((name) => isTried(name, place)));
			// A service that refuses unknown names refuses them one by one.
			const isOne = strict === true || (!isFound && untried[0] === places[0]);
			return untried.slice(0, isOne ? 1 : undefined);
		};
		if (isForm && paths.includes(record?.typeIn ?? ' ')) {
			return choosePlaces([''], true).map((place) => ({
				...markers.offer('', '', place),
				isGiven: true,
			}));
		}
		// What is missing may hold the fields: an object by the name of the kind, or the JSON part of a form.
		const isHolder = (path: string) =>
			isForm ? listPlaces([path]).includes(path) : path.toLowerCase() === kind;
		const holder = paths.find(isHolder);
		const missing = readMissing(
			check,
			kind,
			paths.filter((path) => !isHolder(path)),
		);
		const isGiven = missing.size > 0;
		return NEEDED[kind].flatMap((field) => {
			const isFile = field === 'content_base64' && offerFile;
			const likely = isFile && isForm ? FILE_PARTS : listNames(field, check.namings);
			const given = missing.get(field);
			const names = given === undefined ? (isGiven ? [] : likely) : [given];
			if (isFile && isForm && holder !== undefined) return [];
			const places =
				holder !== undefined
					? [holder]
					: isFile
						? listPlaces(names).slice(0, 1)
						: choosePlaces(names);
			return places.flatMap((place) =>
				names
					.filter((name) => !isTried(name, place))
					.map((name) => ({
						...(isFile ? { ...offerFile(name), place } : markers.offer(field, name, place)),
						isGiven,
					})),
			);
		});
	};
